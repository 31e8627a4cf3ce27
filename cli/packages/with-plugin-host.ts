import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createViewStatusRegistry } from '../../shared/engine/executor/view-status-registry.ts'
import {
  type MonitorServer,
  startMonitorServer,
} from '../../shared/engine/monitor/monitor-server.ts'
import { hasCode } from '../../shared/errors/error.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import {
  type ProjectPlugin,
  resolveProjectPlugins,
} from '../../shared/programs/project/project-plugins.ts'
import { createPluginInstaller } from '../../shared/providers/install/plugin-installer.ts'
import { createPluginHost } from '../../shared/providers/plugins/plugin-host.ts'
import type { PluginMessage } from '../../shared/providers/plugins/plugin-message.ts'
import type { PluginHost } from '../../shared/providers/provider.ts'
import type { TerraformInstaller } from '../../shared/providers/terraform/install/terraform-installer.ts'
import { withTerraformPlugins } from '../../shared/providers/terraform/terraform-plugins.ts'
import { readUserVariables } from '../../shared/runtime/environment/user-variables.ts'
import { createInstallDeps } from '../../shared/runtime/plugins/plugin-install-deps.ts'
import { openTerraformInstaller } from '../../shared/runtime/plugins/open-terraform-installer.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Calls `use` with a host that finds, installs and starts plugins for the project, or for the
 * current folder outside of a project. `localPlugins` take precedence over all others. `address` is
 * that of the services of schemas and mappings, `127.0.0.1:<port>`. Ends all plugins afterwards.
 */
export async function withPluginHost<T>(
  session: CliSession,
  use: (host: PluginHost, address: string) => Promise<T>,
  localPlugins: readonly ProjectPlugin[] = [],
): Promise<T> {
  const processes = createProcesses()
  let host: PluginHost | undefined
  const getHost = (): PluginHost => {
    if (host === undefined) throw new Error('a plugin called the services before the host existed')
    return host
  }
  const monitor = await startMonitorServer({
    onMessage: ({ severity, message }) => reportMessage(session, severity, message.trimEnd()),
    onDebuggerWaiting: () => undefined,
    viewStatus: createViewStatusRegistry(randomUUID),
    plugins: getHost,
  })
  try {
    host = createHost(session, localPlugins, { processes, monitor })
    return await use(host, monitor.address)
  } finally {
    await host?.close()
    monitor.close()
    await processes.close()
  }
}

/** Returns the project of the current folder, or undefined outside of a project. */
function findProject(session: CliSession): Project | undefined {
  try {
    return session.requireProject()
  } catch (thrown) {
    if (hasCode(thrown, 'PROJECT_NOT_FOUND')) return undefined
    throw thrown
  }
}

function createHost(
  session: CliSession,
  localPlugins: readonly ProjectPlugin[],
  { processes, monitor }: { readonly processes: ProcessesPort; readonly monitor: MonitorServer },
): PluginHost {
  const project = findProject(session)
  const env = { ...readUserVariables() }
  const home = env['HOME'] ?? homedir()
  const programFolder = project === undefined ? session.cwd : locateProgram(project).programFolder
  const report = ({ severity, text }: PluginMessage): void => reportMessage(session, severity, text)
  const installDeps = createInstallDeps({
    env,
    home,
    processes,
    pause: ms => sleep(ms),
    onMessage: (_severity, text) => session.printToStderr(text),
  })
  const host = createPluginHost({
    processes,
    env,
    home,
    programFolder,
    path: env['PATH'] ?? '',
    install: createPluginInstaller(installDeps),
    project: project?.name ?? '',
    projectPlugins: [
      ...localPlugins,
      ...(project === undefined ? [] : resolveProjectPlugins(project)),
    ],
    runtimeOptions: project?.runtimeOptions ?? {},
    engineAddress: () => monitor.address,
    report,
  })
  const openInstaller = (): Promise<TerraformInstaller> =>
    openTerraformInstaller({
      env,
      home,
      programFolder,
      pause: installDeps.pause,
      report: installDeps.report,
      now: () => Date.now(),
    })
  return withTerraformPlugins(host, { processes, env, programFolder, report, openInstaller })
}

/** Prints warnings and errors of plugins. Other messages are printed with --verbose only. */
function reportMessage(session: CliSession, severity: string, text: string): void {
  if (session.verbose || severity === 'warning' || severity === 'error') session.printToStderr(text)
}
