// Waiting that ends with its request.
import { ConnectionError } from "@bosun/mcp/server";

/** The work goes on; only this wait for it is over. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new ConnectionError("cancelled", "the request was cancelled"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
