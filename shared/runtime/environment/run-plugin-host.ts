import { configInputsOf } from '../../engine/generator/providers/default-providers.ts'
import { emitDebuggerWaiting } from '../../engine/events/emit-debugger-waiting.ts'
import type { StepEmitter } from '../../engine/events/step-emitter.ts'
import type { MonitorServer } from '../../engine/monitor/monitor-server.ts'
import type { DeployInput } from '../../engine/request.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { shouldDebugPlugin } from '../../programs/hosts/debug-targets.ts'
import { createPluginInstaller } from '../../providers/install/plugin-installer.ts'
import { createInstallDeps } from '../plugins/plugin-install-deps.ts'
import { openTerraformInstaller } from '../plugins/open-terraform-installer.ts'
import { createPluginHost } from '../../providers/plugins/plugin-host.ts'
import type { PluginMessage } from '../../providers/plugins/plugin-message.ts'
import type { TerraformInstaller } from '../../providers/terraform/install/terraform-installer.ts'
import { withTerraformPlugins } from '../../providers/terraform/terraform-plugins.ts'
import { createBuiltinProvider } from '../../providers/builtin/builtin-provider.ts'
import type { PluginHost, Provider } from '../../providers/provider.ts'
import { createStackReader } from './read-stack-references.ts'
import { createEnvironmentManagerOpener } from '../credentials/manager-opener.ts'
import { stripSecrets } from '../../values/special-values.ts'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { findInstalledEnvironment } from '../../programs/hosts/installed-packages.ts'
import { readTextOption } from '../../programs/hosts/runtime-option.ts'
import type { ProgramSource } from '../../programs/program.ts'
import type { RunInput } from './run-input.ts'
import type { RunTrace } from './run-trace.ts'

/** Creates the built-in provider of a run. The provider reads other stacks of the same store. */
export function createRunBuiltinProvider(input: RunInput, emitter: StepEmitter): Provider {
  const { catalog, blobs, random } = input.platform
  const stackReader = createStackReader({
    ...{ catalog, blobs },
    readingStack: input.request,
    openStateManager: input.openStateManager ?? createEnvironmentManagerOpener(process.env),
    reportInfo: message => emitter.report('info', message),
  })
  return createBuiltinProvider({
    ...stackReader,
    uuid: () => random.uuid(),
    warn: (message, urn) => emitter.report('warning', message, urn),
  })
}

/** Creates the plugin host of a run. */
export function createRunPluginHost(
  { request, fetchPlugin, platform }: RunInput,
  deps: {
    readonly env: Readonly<Record<string, string>>
    readonly path: string
    readonly processes: ProcessesPort
    readonly monitor: MonitorServer
    readonly emitter: StepEmitter
    readonly redact: (text: string) => string
    readonly trace: Pick<RunTrace, 'traceCall'>
  },
): PluginHost {
  const { env, path, processes, monitor, emitter, redact } = deps
  const { traceCall } = deps.trace
  const { source } = request
  const home = env['HOME'] ?? homedir()
  const installDeps = createInstallDeps({
    env,
    home,
    processes,
    pause: ms => platform.clock.sleep(ms),
    onMessage: (severity, text) =>
      emitter.report(severity === 'info' ? 'info#err' : severity, redact(text)),
  })
  const report = ({ severity, text, streamId }: PluginMessage): void =>
    emitter.emit({
      diagnosticEvent: {
        message: redact(`${text}\n`),
        color: 'raw',
        severity,
        streamID: streamId,
      },
    })
  const { programFolder } = source
  const host = createPluginHost({
    processes,
    env,
    path,
    home,
    install: fetchPlugin ?? createPluginInstaller(installDeps),
    programFolder,
    project: source.name,
    projectPlugins: source.plugins,
    runtimeOptions: { ...source.runtimeOptions, ...environmentOptionOf(source) },
    engineAddress: () => monitor.address,
    debuggerListenerOf: plugin =>
      shouldDebugPlugin(request.debuggedProcesses ?? [], plugin)
        ? endpoint => emitDebuggerWaiting(emitter, endpoint)
        : undefined,
    report,
    traceCall,
  })
  const openInstaller = (): Promise<TerraformInstaller> =>
    openTerraformInstaller({
      ...{ env, home, programFolder },
      pause: installDeps.pause,
      report: installDeps.report,
      now: () => platform.clock.now(),
      fetchPlugin,
    })
  return withTerraformPlugins(host, {
    ...{ processes, env, programFolder, report, openInstaller, traceCall },
  })
}

/**
 * Returns the runtime option with the virtual environment of the program as an absolute path. The
 * plugins of a program may start in a subfolder of the project. The environment that the installer
 * created takes precedence.
 */
function environmentOptionOf(source: ProgramSource): { readonly virtualenv?: string } {
  const installedFolder = findInstalledEnvironment(source.projectFolder)
  if (installedFolder !== undefined) return { virtualenv: installedFolder }
  const configuredFolder = readTextOption(source, 'virtualenv')
  return configuredFolder === ''
    ? {}
    : { virtualenv: resolve(source.projectFolder, configuredFolder) }
}

/** Returns the configuration of a package for its plugin's environment, as plain texts. */
export function plainConfigOf(request: DeployInput, pkg: string): Readonly<Record<string, string>> {
  const texts = [...configInputsOf(pkg, request.config)].flatMap(([key, value]) => {
    const text = stripSecrets(value)
    return typeof text === 'string' ? [[key, text] as const] : []
  })
  return Object.fromEntries(texts)
}
