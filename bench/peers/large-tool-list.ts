// A tool list of the size and manner of a code-hosting service's: 117 tools, a paragraph and a handful of described
// parameters each. Made, because no server that has one can be run without an account.
import type { ToolDefinition } from "@bosun/shrink";

const THINGS =
  "issue,pull request,branch,commit,release,workflow run,code search result,discussion,label,milestone,review comment,notification,security alert".split(
    ",",
  );

const DEEDS: readonly (readonly [string, string, readonly string[]])[] = [
  ["get", "Get the details of one", ["number"]],
  ["list", "List every", ["state", "sort", "direction", "page", "perPage", "since"]],
  ["search", "Search with the query language of the service for a", ["query", "sort", "order", "page", "perPage"]],
  ["create", "Create a new", ["title", "body", "labels", "assignees"]],
  ["update", "Update an existing", ["number", "title", "body", "state", "labels"]],
  ["delete", "Delete for good an existing", ["number", "confirm"]],
  ["lock", "Lock the conversation of a", ["number", "reason"]],
  ["add_comment_to", "Add a comment to a", ["number", "body"]],
  ["get_history_of", "Get everything that has ever happened to a", ["number", "page", "perPage"]],
];

const PARAMETERS: { readonly [name: string]: object } = {
  number: {
    type: "number",
    description: "The number of the item as it stands in its address, not its internal identifier",
  },
  state: {
    type: "string",
    enum: ["open", "closed", "all"],
    description: "Filter by state. When it is left out, only open items are returned",
  },
  sort: {
    type: "string",
    enum: ["created", "updated", "comments"],
    description: "What to sort the results by. Can be when it was created, when it was updated last, or by comments",
  },
  direction: { type: "string", enum: ["asc", "desc"], description: "Direction of the sort, ascending or descending" },
  order: {
    type: "string",
    enum: ["asc", "desc"],
    description: "Order of the results, which is only looked at together with sort",
  },
  page: { type: "number", minimum: 1, description: "Page number for pagination, which begins at 1" },
  perPage: {
    type: "number",
    minimum: 1,
    maximum: 100,
    description: "Results per page for pagination, at least 1 and at most 100",
  },
  since: {
    type: "string",
    description: "Only items updated after this time, as an ISO 8601 timestamp such as 2026-01-31T12:00:00Z",
  },
  query: {
    type: "string",
    description:
      "Search query in the syntax of the service. Qualifiers such as is:open, author: and label: are understood and can be combined",
  },
  title: { type: "string", description: "Title, shown in lists and notifications" },
  body: {
    type: "string",
    description:
      "Content in Markdown. Mentions, references to other items and task lists are rendered as in the web interface",
  },
  labels: {
    type: "array",
    items: { type: "string" },
    description: "Names of labels to set. Labels that do not exist yet are created with a default colour",
  },
  assignees: {
    type: "array",
    items: { type: "string" },
    description: "Login names of the people it is assigned to, at most ten",
  },
  confirm: {
    type: "boolean",
    description: "Must be true, so that nothing is deleted by accident. There is no way to undo it",
  },
  reason: {
    type: "string",
    enum: ["off-topic", "too heated", "resolved", "spam"],
    description: "Why the conversation is locked, shown to everybody who can read it",
  },
};

export function largeToolList(): ToolDefinition[] {
  return THINGS.flatMap((thing) => DEEDS.map(([deed, says, names]) => toolFor(thing, deed, says, names)));
}

function toolFor(thing: string, deed: string, says: string, names: readonly string[]): ToolDefinition {
  const place = {
    owner: { type: "string", description: "Owner of the repository: the login name of a person or of an organization" },
    repo: { type: "string", description: "Name of the repository without its owner and without an ending" },
  };
  const properties = { ...place, ...Object.fromEntries(names.map((name) => [name, PARAMETERS[name] ?? {}])) };
  return {
    name: `${deed}_${thing.replaceAll(" ", "_")}`,
    description: `${says} ${thing} in a repository that the token of the server can see. Results are as the service gives them, with its own field names. Use a search when the number is not known; ask for further pages until an empty one comes back. Fails when the token lacks the scope for it.`,
    inputSchema: { type: "object", properties, required: ["owner", "repo", ...names.slice(0, 1)] },
    annotations: { title: `${says} ${thing}`, readOnlyHint: deed.startsWith("get") || deed === "list" },
  };
}
