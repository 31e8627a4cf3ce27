import { PassThrough } from 'node:stream'
import {
  LanguageRuntimeService as service,
  type RunPluginResponse,
} from '../../../proto/gen/pulumi/language.ts'
import type { ChildProcess } from '../../ports/system.ts'
import { type LanguageHostDeps, startHost } from '../hosts/language-host.ts'
import type { PluginProject } from './plugin-project.ts'

/** The process of a plugin, possibly a child of its language host. */
export type RunningPlugin = Omit<ChildProcess, 'pid'>

/**
 * Runs a plugin from source through the host of its language, which forwards its output. Any signal
 * ends the plugin. Throws RUNTIME_UNKNOWN, PROGRAM_LANGUAGE_FAILED.
 */
export async function runPluginByHost(
  deps: LanguageHostDeps,
  { folder, runtime, options: runtimeOptions }: PluginProject,
  options: {
    readonly args: readonly string[]
    readonly cwd: string
    /** Whether the plugin waits for a debugger, whose address the host reports. */
    readonly isDebugged?: boolean
  },
): Promise<RunningPlugin> {
  const { args, cwd, isDebugged = false } = options
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  const folders = { projectFolder: folder, programFolder: folder }
  const source = { runtime, ...folders, entryPoint: '.', runtimeOptions }
  /** Writes output of the plugin or its host. Output after the end of the plugin is dropped. */
  const write = (stream: keyof typeof streams, output: Uint8Array | string): void => {
    if (!streams[stream].writableEnded) streams[stream].write(output)
  }
  const host = await startHost(deps, source, line => write('stderr', `${line}\n`))
  const responses = host.stream(service.runPlugin, {
    pwd: cwd,
    program: '',
    args: [...args],
    env: Object.entries(deps.env).map(([name, value]) => `${name}=${value}`),
    info: {
      rootDirectory: folder,
      programDirectory: folder,
      entryPoint: '.',
      options: runtimeOptions,
    },
    kind: 'resource',
    name: '',
    attachDebugger: isDebugged,
    loaderTarget: deps.engineAddress(),
  })
  const exit = Promise.withResolvers<Awaited<ChildProcess['exit']>>()
  const finish = async (exitStatus: Awaited<ChildProcess['exit']>): Promise<void> => {
    for (const stream of Object.values(streams)) stream.end()
    await host.close()
    exit.resolve(exitStatus)
  }
  // Of several calls of `finish`, the first one determines the exit status.
  responses.on('data', ({ output }: RunPluginResponse) => {
    if (output === undefined) return
    if (output.$case === 'exitcode') void finish({ code: output.value, signal: null })
    else write(output.$case, output.value)
  })
  responses.on('end', () => void finish({ code: 0, signal: null }))
  let requestedSignal: string | undefined
  responses.on('error', ({ message }) => {
    if (requestedSignal === undefined) write('stderr', `${message}\n`)
    void finish({ code: null, signal: requestedSignal ?? 'SIGKILL' })
  })
  const signal: RunningPlugin['signal'] = name => {
    requestedSignal ??= name
    responses.cancel()
  }
  return { ...streams, exit: exit.promise, signal }
}
