/**
 * Reports whether the program waits for a debugger. `targets` are the values of
 * `--attach-debugger`: `program`, `plugins`, `plugin:<name>` or `all`.
 */
export function shouldDebugProgram(targets: readonly string[]): boolean {
  return targets.some(target => target === 'program' || target === 'all')
}

/** Reports whether a plugin that runs from source waits for a debugger. */
export function shouldDebugPlugin(targets: readonly string[], name: string): boolean {
  return targets.some(
    target => target === 'plugins' || target === 'all' || target === `plugin:${name}`,
  )
}
