// What a person wrote after --allow-net or --deny-net, as a value.

export type NetworkRule =
  | {
      readonly kind: "host";
      /** As it was written, for messages and the audit. */
      readonly text: string;
      /** Without the star. */
      readonly host: string;
      /** One or more whole labels stand before the host. */
      readonly isWildcard: boolean;
      /** Undefined when none were written: the usual ones for an allow, all for a deny. */
      readonly ports: readonly number[] | undefined;
    }
  | {
      readonly kind: "alias";
      readonly text: string;
      readonly host: string;
      readonly port: number;
      readonly target: Target;
    }
  | { readonly kind: "preset"; readonly text: string; readonly name: string };

/** Where a person's own words lead: also to private addresses. */
export type Target = { readonly address: string; readonly port: number };

export const USUAL_PORTS: readonly number[] = [22, 80, 443];
