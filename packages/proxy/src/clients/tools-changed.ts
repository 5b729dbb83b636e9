// Tells one client that its tools have changed, in either era, when it is we who know: no server has said so.
import { isObject, META } from "@bosun/mcp/server";
import type { Call, Session } from "@bosun/mcp/server";
import { idValue } from "@bosun/mcp/relay";

const CHANGED = "notifications/tools/list_changed";

export class ToolsChangedNotifier {
  private session: Session | undefined;
  private readonly subscriptions = new Set<Call>();

  opened(session: Session): void {
    this.session = session;
  }

  /** `subscriptions/listen` of a modern client, which is told on the stream of its own request. */
  subscribe(call: Call): void {
    const { notifications } = call.params;
    if (!isObject(notifications) || notifications["toolsListChanged"] !== true || call.signal.aborted) return;
    this.subscriptions.add(call);
    call.signal.addEventListener("abort", () => this.subscriptions.delete(call), { once: true });
  }

  notify(): void {
    this.session?.notify(CHANGED, {});
    for (const call of this.subscriptions) call.notify(CHANGED, { _meta: { [META.subscriptionId]: idValue(call.id) } });
  }
}
