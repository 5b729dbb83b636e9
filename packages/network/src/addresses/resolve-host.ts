// A name → the addresses that may be connected to. They are resolved once: what was checked is what is used.
import { isOwnAddress, isPublicAddress, ownAddresses } from "./public-address.ts";

/** All addresses of a name; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export type ResolvedHost =
  | { readonly kind: "addresses"; readonly addresses: readonly string[] }
  /** One that is not public refuses the name: the next question might return only that. */
  | { readonly kind: "private"; readonly address: string }
  | { readonly kind: "failed"; readonly why: string };

/** As this machine resolves it, /etc/hosts included. */
export const systemResolve: Resolve = async (host) => {
  const found = await Bun.dns.lookup(host);
  return found.map(({ address }) => address);
};

/** `isOwnSetting`: a person's own configuration names it, and may mean a private address. */
export async function resolveHost(
  host: string,
  resolve: Resolve,
  timeoutMs: number,
  isOwnSetting = false,
): Promise<ResolvedHost> {
  const found = await withinTime(resolve(host), timeoutMs);
  if (found === undefined) return { kind: "failed", why: `its address was not found in ${timeoutMs / 1000} s` };
  if (found instanceof Error || found.length === 0) return { kind: "failed", why: "it does not resolve" };
  return isOwnSetting ? { kind: "addresses", addresses: found } : checkAddresses(found);
}

export function checkAddresses(addresses: readonly string[]): ResolvedHost {
  const own = ownAddresses();
  const near = addresses.find((address) => !isPublicAddress(address) || isOwnAddress(address, own));
  return near === undefined ? { kind: "addresses", addresses } : { kind: "private", address: near };
}

async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T | Error | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    // A name that does not resolve: which way is the resolver's affair.
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}
