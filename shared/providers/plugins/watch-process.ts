import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { withTimeout } from '../../config/with-timeout.ts'
import type { Connection } from './connection.ts'
import type { PluginMessage } from './plugin-message.ts'
import { formatLastLines } from './plugin-output.ts'
import type { PluginProcess } from './start-plugin.ts'

/** An observer of the end of a process. */
export interface ProcessWatch {
  /** Describes the end of the process. Undefined if it does not end within a short wait. */
  readonly getExitReport: Connection['getExitReport']
  /** Declares the end of the process as expected, so that it is not reported as an error. */
  readonly expectEnd: () => void
  readonly hasEnded: () => boolean
}

/**
 * Watches a process, and reports its unexpected end. `isSilent` returns true while all plugins are
 * being killed. The end of a plugin is then not reported.
 */
export function watchProcess(
  pluginProcess: Omit<PluginProcess, 'port' | 'stop'>,
  options: {
    readonly report: (message: PluginMessage) => void
    readonly isSilent: () => boolean
  },
): ProcessWatch {
  let isExpected = false
  let hasEnded = false
  void pluginProcess.exitDescription.then(async description => {
    hasEnded = true
    if (isExpected || options.isSilent()) return
    const lines = await pluginProcess.readLastLines()
    options.report({
      plugin: pluginProcess.name,
      severity: 'error',
      text: `plugin '${pluginProcess.name}' (${pluginProcess.path}) ${description} unexpectedly, which is a bug of the plugin${formatLastLines(lines)}`,
      streamId: 0,
    })
  })
  return {
    async getExitReport() {
      const description = await withTimeout(pluginProcess.exitDescription, limits.exitGraceMs)
      if (description === undefined) return undefined
      return { description, lines: await pluginProcess.readLastLines() }
    },
    expectEnd() {
      isExpected = true
    },
    hasEnded: () => hasEnded,
  }
}
