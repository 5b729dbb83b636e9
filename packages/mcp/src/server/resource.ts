// Resources and prompts as a server defines them.
import type { Annotations, Content, Icon, ResourceContents } from "../wire/content.ts";
import type { Context } from "./context.ts";
import type { JsonObject } from "../wire/json-value.ts";

type Described = {
  name: string;
  title?: string;
  description?: string;
  icons?: Icon[];
  meta?: JsonObject;
};

/** Values that could follow what was typed so far; `given` holds the arguments already chosen. */
export type Complete = (
  typed: string,
  given: Record<string, string>,
  context: Context,
) => readonly string[] | Promise<readonly string[]>;

export type Resource = Described & {
  uri: string;
  mimeType?: string;
  size?: number;
  annotations?: Annotations;
  read(context: Context): Promise<ResourceContents[]> | ResourceContents[];
};

export type ResourceTemplate = Described & {
  uriTemplate: string;
  mimeType?: string;
  annotations?: Annotations;
  complete?: { [variable: string]: Complete };
  /** Undefined when there is no such resource. */
  read(
    uri: string,
    variables: Record<string, string>,
    context: Context,
  ): Promise<ResourceContents[] | undefined> | ResourceContents[] | undefined;
};

type PromptArgument = {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
  complete?: Complete;
};
export type PromptMessage = { role: "user" | "assistant"; content: Content };
export type Prompt = Described & {
  arguments?: PromptArgument[];
  get(
    args: Record<string, string>,
    context: Context,
  ): Promise<{ description?: string; messages: PromptMessage[] }> | { description?: string; messages: PromptMessage[] };
};

/** The members every listed thing shares, as its revision knows them. */
export function describedAs(thing: Described, titled: boolean, iconed: boolean): JsonObject {
  const wire: JsonObject = { name: thing.name };
  if (thing.title !== undefined && titled) wire["title"] = thing.title;
  if (thing.description !== undefined) wire["description"] = thing.description;
  if (thing.icons !== undefined && iconed) wire["icons"] = thing.icons;
  if (thing.meta !== undefined && titled) wire["_meta"] = thing.meta;
  return wire;
}
