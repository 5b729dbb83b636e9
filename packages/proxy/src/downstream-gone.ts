// A call that its server cannot answer any more: the call fails with a reason, the client lives.

export class DownstreamGone extends Error {
  override readonly name = "DownstreamGone";
}
