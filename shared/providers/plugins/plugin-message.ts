/** A message for the user from a plugin or from the host. */
export interface PluginMessage {
  readonly plugin: string
  /** `info#err`: Pulumi's severity of the output on stderr of the user's code. */
  readonly severity: 'debug' | 'info' | 'info#err' | 'warning' | 'error'
  readonly text: string
  /** A number for each stream of each process; 0 for messages of the host. */
  readonly streamId: number
}
