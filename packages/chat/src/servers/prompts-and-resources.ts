// What servers offer besides tools: prompts, which a person calls by name, and resources, which a person attaches.
import { withoutTagCharacters } from "@bosun/platform/safe-text";
import { isObject } from "@bosun/mcp";
import type { Client, JsonObject } from "@bosun/mcp";

export type ServerPrompt = {
  name: string;
  description: string;
  arguments: readonly { name: string; description: string; isRequired: boolean }[];
};

export type ServerResource = { uri: string; name: string };

/** Both lists, as far as the server has them; one that cannot be listed is an empty one. */
export async function listPromptsAndResources(
  client: Client,
  timeoutMs: number,
): Promise<{ prompts: ServerPrompt[]; resources: ServerResource[] }> {
  const list = async (kind: "prompts" | "resources"): Promise<JsonObject[]> =>
    // Tools work without them: a server that fails here is not a failed one.
    isObject(client.capabilities[kind]) ? client.list(kind, { timeoutMs }).catch(() => []) : [];
  const [prompts, resources] = await Promise.all([list("prompts"), list("resources")]);
  return { prompts: prompts.flatMap(promptIn), resources: resources.flatMap(resourceIn) };
}

/** A prompt as one text: what the person says with it. */
export function textOfPrompt(result: JsonObject): string {
  const messages = Array.isArray(result["messages"]) ? result["messages"].filter(isObject) : [];
  const parts = messages.map(({ role, content }) => {
    const text = textOfContent(content);
    return role === "assistant" ? `(assistant:) ${text}` : text;
  });
  return withoutTagCharacters(parts.filter((part) => part !== "").join("\n\n")).text;
}

/** A resource as text, and its pictures as data URLs. */
export function contentsOfResource(result: JsonObject): { text: string; images: string[] } {
  const contents = Array.isArray(result["contents"]) ? result["contents"].filter(isObject) : [];
  const images: string[] = [];
  const texts = contents.map((one) => {
    if (typeof one["text"] === "string") return withoutTagCharacters(one["text"]).text;
    const type = typeof one["mimeType"] === "string" ? one["mimeType"] : "application/octet-stream";
    const { blob } = one;
    const isPicture =
      typeof blob === "string" && /^image\/[a-z0-9.+-]+$/.test(type) && /^[A-Za-z0-9+/=\s]*$/.test(blob);
    if (isPicture) images.push(`data:${type};base64,${blob}`);
    return `(${type}${isPicture ? "" : ", not text"})`;
  });
  return { text: texts.join("\n\n"), images };
}

export function textOfContent(content: unknown): string {
  if (Array.isArray(content)) return content.map(textOfContent).join("\n");
  if (!isObject(content)) return "";
  if (typeof content["text"] === "string") return content["text"];
  const { resource } = content;
  if (isObject(resource) && typeof resource["text"] === "string") return resource["text"];
  return typeof content["type"] === "string" ? `(${content["type"]})` : "";
}

function promptIn(raw: JsonObject): ServerPrompt[] {
  const { name, description } = raw;
  if (typeof name !== "string" || name === "") return [];
  const args = Array.isArray(raw["arguments"]) ? raw["arguments"].filter(isObject) : [];
  return [
    {
      name,
      description: typeof description === "string" ? description : "",
      arguments: args.flatMap((one) =>
        typeof one["name"] === "string"
          ? [
              {
                name: one["name"],
                description: typeof one["description"] === "string" ? one["description"] : "",
                isRequired: one["required"] === true,
              },
            ]
          : [],
      ),
    },
  ];
}

function resourceIn({ uri, name }: JsonObject): ServerResource[] {
  return typeof uri === "string" ? [{ uri, name: typeof name === "string" ? name : uri }] : [];
}
