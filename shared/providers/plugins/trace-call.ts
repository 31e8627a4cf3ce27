/** A call of a plugin: the name of the plugin, and the path `/package.Service/Method`. */
export interface TracedCall {
  readonly plugin: string
  readonly path: string
}

/**
 * Reports a call of a plugin, and passes the metadata by which the plugin can join the trace.
 * Returns the result of the call, and throws its error.
 */
export type TraceCall = <T>(
  call: TracedCall,
  run: (metadata?: Readonly<Record<string, string>>) => Promise<T>,
) => Promise<T>
