// `:help`: one page, and a few topics.
import type { Repl } from "./repl.ts";

const HELP_TEXT = ` text            ask the model                 !cmd     run a shell command, remember its output
 !!cmd           run it, do not remember       :cmd     a command of aish

 :model [name]   show or switch the model      :models           list and check them
 :mcp list       servers and their state       :mcp tools [text] tools of all servers
 :mcp tool N     one tool's schema             :mcp call N {…}   call a tool yourself (also :call)
 :mcp connect URL [alias] [--token]            :mcp disconnect ALIAS
 :mcp reconnect ALIAS                          :mcp log ALIAS    stderr and recent traffic
 :mcp save ALIAS keep it in the settings       :mcp share ALIAS  tell it which folder this is
 :mcp login ALIAS [--keep]                     :mcp logout ALIAS
 :policy         what runs without asking      :allow N  :ask N  :deny N   change it
 :mode [NAME]    read-only|ask|edits|trusted   --keep  for this folder
 :last [n]       full output of a tool call    :think            last reasoning
 :context        what fills the window         :compact          summarise older turns
 :cost           tokens per server and tool    :audit [n]        decisions and outcomes
 :undo           drop the last exchange        :retry            ask the last question again
 :go             go on (with command output)   :forget           drop command output that waits
 :new  :sessions [words]  :resume [id]         :export FILE      as Markdown or JSON
 :cd DIR  :tty CMD  :edit  :config             :help [topic]     :quit  (or Ctrl-D)
 keys: Ctrl-C stop · Ctrl-D leave · Ctrl-L clear · Up/Down history · Ctrl-R search · Tab completes
       end a line with \\ to go on · """ starts a block · Alt-Enter a new line`;

const TOPICS: Readonly<Record<string, string>> = {
  models: `A model is a table in ~/.config/bosun/config.toml:

  [models.local]
  base_url = "http://127.0.0.1:8080/v1"
  model    = "qwen2.5-coder"
  key_env  = "MY_KEY"        # when the server wants a key

llama.cpp, Ollama, LM Studio and vLLM on their usual ports are found without one.`,
  tools: `Servers are tables, too:

  [mcp.servers.files]
  command = "npx"
  args    = ["@modelcontextprotocol/server-filesystem", "."]

  [mcp.servers.lab]
  url      = "https://lab.example/mcp"
  auth_env = "LAB_TOKEN"

  [mcp.auto_approve]
  "files.read_*" = true       # runs unasked
  "lab.drop"     = "deny"     # never

While you talk: :mcp connect URL [alias], with --token to type its token unseen or
--token-env NAME to take it from a variable; :mcp save ALIAS keeps it.
/name is a prompt of a server, @alias:uri attaches one of its resources.`,
  files: `@file and @folder in a question attach them; Tab completes. Pictures go to models with vision = true.
AGENTS.md and CLAUDE.md of the folder are instructions once you have agreed to them.`,
  approval: `Before a call you see the server, the tool and every argument.
  y  once   n  no   r  no, with a reason   a  always…   e  edit   v  view everything   q  stop the turn
Enter is no. What you typed before the question appeared does not answer it.`,
};

export function help(repl: Repl, topic: string): void {
  const text = topic === "" ? fitted(HELP_TEXT, repl.terminal.columns) : TOPICS[topic];
  repl.terminal.line(text ?? `there is help on: ${Object.keys(TOPICS).join(", ")}`);
}

/** Where the page's second column begins. */
const SECOND = 47;

// On a narrow screen the second column goes below the first, everywhere alike.
function fitted(page: string, columns: number): string {
  const lines = page.split("\n");
  const isTwo = (line: string): boolean =>
    line.length > SECOND && /\s{2}$/.test(line.slice(0, SECOND)) && line.charAt(SECOND) !== " ";
  if (!lines.some((line) => isTwo(line) && line.length > columns)) return page;
  return lines
    .flatMap((line) => (isTwo(line) ? [line.slice(0, SECOND).trimEnd(), ` ${inColumns(line.slice(SECOND))}`] : [line]))
    .join("\n");
}

/** What is typed in as wide a column as on the left. */
function inColumns(entry: string): string {
  const [, typed = entry, what = ""] = /^(.*\S)\s{2,}(.*)$/.exec(entry) ?? [];
  return what === "" ? entry : `${typed.padEnd(15)} ${what}`;
}
