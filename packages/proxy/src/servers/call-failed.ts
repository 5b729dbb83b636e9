// A call that cannot be answered: it fails with a reason that the model can read, and the client lives.
export class CallFailed extends Error {
  override readonly name: string = "CallFailed";
}

/** Its server has ended, does not answer in time, or cannot be started. */
export class ServerGone extends CallFailed {
  override readonly name = "ServerGone";
}
