import { emulatedVersion } from '../../shared/config/emulated-version.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { installDependencies } from '../../shared/programs/plugins/dependencies.ts'
import type { InstallDeps } from '../../shared/providers/install/install-plugin.ts'
import { machineOf } from '../../shared/providers/install/plugin-address.ts'
import { pluginCache } from '../../shared/providers/plugins/find.ts'

/** What installing plugins on this machine needs. */
export function installing(about: {
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly processes: ProcessesPort
  readonly pause: (ms: number) => Promise<void>
  readonly said: InstallDeps['said']
}): InstallDeps {
  const { env, processes, pause, said } = about
  return {
    fetch,
    env,
    machine: machineOf(process.platform, process.arch),
    version: emulatedVersion,
    pause,
    said,
    cache: pluginCache(about),
    dependencies: folder =>
      installDependencies(folder, { processes, env, said: text => said('info', text) }),
  }
}
