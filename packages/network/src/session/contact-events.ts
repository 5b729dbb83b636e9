// What is on record about a contact: values for the audit, made where the decision is made.

export type ContactDecision = "allowed" | "asked" | "refused" | "private" | "sni" | "limit" | "failed";

export type ContactEvent = {
  readonly kind: "contact";
  /** Of this server, from 1: `contact-end` names it. */
  readonly n: number;
  readonly session: string;
  /** That were running then: usually one. */
  readonly calls: readonly string[];
  readonly host: string;
  /** Absent where the name was refused already. */
  readonly port?: number;
  /** That was checked and is connected to. */
  readonly address?: string;
  readonly decision: ContactDecision;
  readonly rule?: string;
  readonly answer?: string;
  readonly reason?: string;
  /** The same refusal came that many times more since it was last written. */
  readonly repeated?: number;
};

export type ContactEndEvent = {
  readonly kind: "contact-end";
  readonly contact: number;
  readonly session: string;
  /** Bytes from the command, and to it. */
  readonly up: number;
  readonly down: number;
  readonly ms: number;
  readonly why: ContactEnd;
};

export type ContactEnd =
  "ended" | "reset" | "upstream reset" | "idle" | "half open" | "call over" | "gate ended" | "sni";

export type NetworkEvent = ContactEvent | ContactEndEvent;
