// Shell text → every simple command in it, by a real grammar: lists, pipes, groups, loops, functions, substitutions in
// words, quotes, here-documents, tests and arithmetic. What is inside `sh -c '…'` is the judge's affair.
import { forEachChild, parse } from "unbash";
import { readAssignedValue, readAssignmentWord, readHereDocument, readWord } from "./word.ts";
import { isStatic } from "./simple-command.ts";
import type { Assignment, Command, Redirection, SyntaxNode } from "unbash";
import type { ShellRedirect, ShellSyntax, ShellWord, SimpleCommand } from "./simple-command.ts";

// What an agent writes in one call stays far below; what is above is not reviewed by anybody either.
const MAX_CHARS = 131_072;
const MAX_COMMANDS = 2000;
// A subscript with a substitution in it, which arithmetic runs.
const STORED_CODE = /\[[^\]]*(\$\(|`)/;

/** Never throws. Commands inside the arguments of other commands stay there; what cannot be understood is unparsable. */
export function parseShell(text: string): ShellSyntax {
  if (text.length > MAX_CHARS) return unparsable(`longer than ${MAX_CHARS} characters`);
  if (text.includes("\0")) return unparsable("contains NUL");
  try {
    return new Walk().run(text);
  } catch (error) {
    // The parser is made to recover; if it does not, the text is none we understand.
    return unparsable(error instanceof Unparsable ? error.message : "not understood by the parser");
  }
}

function unparsable(reason: string): ShellSyntax {
  return { kind: "unparsable", reason };
}

class Unparsable extends Error {}

class Walk {
  readonly #commands: SimpleCommand[] = [];
  readonly #defines = new Set<string>();
  #arithmetic = false;
  #storedCode = false;

  run(text: string): ShellSyntax {
    this.#visit(parse(text));
    // ((x)) evaluates what x holds, subscripts and the substitutions in them included.
    if (this.#arithmetic && this.#storedCode)
      throw new Unparsable("arithmetic on a variable that holds a substitution");
    return { kind: "parsed", commands: this.#commands, defines: [...this.#defines] };
  }

  #visit(node: SyntaxNode): void {
    switch (node.type) {
      case "Script": {
        const [problem] = node.errors ?? [];
        if (problem !== undefined) throw new Unparsable(problem.message);
        break;
      }
      case "Command":
        this.#add(readCommand(node));
        this.#noteCommand(node);
        break;
      case "Redirected":
        this.#add({ kind: "command", words: [], redirects: readRedirects(node.redirects), assignments: [] });
        break;
      case "Function":
        this.#defines.add(node.name.value);
        break;
      case "For":
      case "Select":
        this.#assign(node.name.value, `values of ${node.name.value}`);
        break;
      case "Coproc":
        this.#assign(node.name?.value ?? "COPROC", "descriptors of a coprocess");
        break;
      case "ArithmeticBinary":
        if (/^([-+*/%&|^]|<<|>>)?=$/.test(node.operator) && node.left.type === "ArithmeticWord") {
          this.#assign(node.left.value, "the result of arithmetic");
        }
        break;
      case "ArithmeticUnary":
        if (/^(\+\+|--)$/.test(node.operator) && node.operand.type === "ArithmeticWord") {
          this.#assign(node.operand.value, "the result of arithmetic");
        }
        break;
      case "Redirect":
      case "HereString":
      case "HereDoc":
        if (node.descriptor?.type === "FileDescriptorVariable") this.#assign(node.descriptor.name, "a descriptor");
        break;
      case "ParameterExpansion":
        if (node.operation?.type === "Default" && /^:?=$/.test(node.operation.operator)) {
          this.#assign(node.parameter, "a default");
        }
        break;
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        if (node.script === undefined) throw new Unparsable("a substitution that could not be read");
        break;
      case "ArithmeticCommand":
      case "ArithmeticExpansion":
      case "ArithmeticFor":
        this.#arithmetic = true;
        break;
      case "TestCommand":
        this.#arithmetic = true;
        this.#noteTest(node);
        break;
      default:
    }
    forEachChild(node, (child) => this.#visit(child));
  }

  #add(command: SimpleCommand): void {
    this.#commands.push(command);
    if (this.#commands.length > MAX_COMMANDS) throw new Unparsable(`more than ${MAX_COMMANDS} commands`);
  }

  /** Something else than a command sets a variable: from there on the names of programs may mean something else. */
  #assign(name: string, value: string): void {
    const bare = /^[A-Za-z_][A-Za-z0-9_]*/.exec(name)?.[0] ?? name;
    this.#add({ kind: "command", words: [], redirects: [], assignments: [{ name: bare, value: { dynamic: value } }] });
  }

  // [[ -v 'a[$(x)]' ]] and [[ 'a[$(x)]' -eq 1 ]] evaluate what stands in quotes.
  #noteTest(node: SyntaxNode): void {
    if (node.type === "Word" && STORED_CODE.test(node.text)) this.#storedCode = true;
    forEachChild(node, (child) => this.#noteTest(child));
  }

  #noteCommand(node: Command): void {
    if (/^(let|declare|typeset|local|test|\[)$/.test(node.name?.value ?? "")) this.#arithmetic = true;
    for (const part of [...node.prefix, ...node.suffix]) {
      if (part.type === "Assignment" && part.index !== undefined) this.#arithmetic = true;
      if ((part.type === "Assignment" || part.type === "Word") && STORED_CODE.test(part.text)) this.#storedCode = true;
    }
  }
}

function readCommand(node: Command): SimpleCommand {
  const words: ShellWord[] = node.name === undefined ? [] : [readWord(node.name)];
  for (const argument of node.args)
    words.push(argument.type === "Word" ? readWord(argument) : readAssignmentWord(argument));
  const assignments = node.prefix
    .filter((part): part is Assignment => part.type === "Assignment")
    .map((part) => ({ name: part.name, value: readAssignedValue(part.value, part.text) }));
  return { kind: "command", words, redirects: readRedirects(node.redirects), assignments };
}

function readRedirects(redirects: readonly Redirection[]): ShellRedirect[] {
  return redirects.flatMap((redirect) => readRedirect(redirect) ?? []);
}

function readRedirect(redirect: Redirection): ShellRedirect | undefined {
  if (redirect.type === "HereDoc") {
    const target = readHereDocument(redirect.body, redirect.delimiter?.quoted ?? false);
    return { op: redirect.operator, target, access: "read" };
  }
  if (redirect.target === undefined) throw new Unparsable("a redirect without a target");
  const target = readWord(redirect.target);
  const op = redirect.operator;
  // 2>&1, <&3 and >&- only shuffle descriptors.
  if ((op === ">&" || op === "<&") && isStatic(target) && /^(\d+-?|-)$/.test(target)) return undefined;
  return { op, target, access: op === "<" || op === "<<<" || op === "<&" ? "read" : "write" };
}
