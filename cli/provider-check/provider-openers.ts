import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createError } from '../../shared/errors/error.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { openEngineEndpoint } from '../../shared/providers/check/engine-endpoint.ts'
import { createPulumiOpener } from '../../shared/providers/check/open-pulumi-provider.ts'
import { createTerraformOpener } from '../../shared/providers/check/open-terraform-provider.ts'
import type { ProviderOpener } from '../../shared/providers/check/opened-provider.ts'
import { createPluginInstaller } from '../../shared/providers/install/plugin-installer.ts'
import { createPluginHost } from '../../shared/providers/plugins/plugin-host.ts'
import type { PluginMessage } from '../../shared/providers/plugins/plugin-message.ts'
import { createTerraformHost } from '../../shared/providers/terraform/client/terraform-host.ts'
import { createTerraformInstaller } from '../../shared/providers/terraform/install/terraform-installer.ts'
import { createInstallDeps } from '../../shared/runtime/plugins/plugin-install-deps.ts'
import { createTerraformInstallDeps } from '../../shared/runtime/plugins/terraform-install-deps.ts'
import { definedVariablesOf } from '../plugins/plugin-command-tools.ts'
import type { CliSession } from '../session/session.ts'
import type { LocatedProvider } from './locate-checked-provider.ts'

/** The provider of a check, its environment variables, and the redaction of its messages. */
interface OpenerOptions {
  readonly locatedProvider: LocatedProvider
  /** Environment variables of the provider, in addition to those of the user. */
  readonly variables: Readonly<Record<string, string>>
  /** Removes secrets from a message of the provider. */
  readonly redact: (text: string) => string
}

interface OpenerDeps {
  readonly session: CliSession
  readonly locatedProvider: LocatedProvider
  readonly processes: ProcessesPort
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly report: (message: PluginMessage) => void
}

/**
 * Calls a function with the opener of a provider, and then ends all processes of the provider. A
 * missing provider is installed. With --verbose, the messages of the provider are printed.
 */
export async function withProviderOpener<T>(
  session: CliSession,
  { locatedProvider, variables, redact }: OpenerOptions,
  check: (open: ProviderOpener) => Promise<T>,
): Promise<T> {
  const processes = createProcesses()
  const env = { ...definedVariablesOf(session), ...variables }
  const deps: OpenerDeps = {
    session,
    locatedProvider,
    processes,
    env,
    home: env['HOME'] ?? homedir(),
    report({ plugin, severity, text }) {
      if (session.verbose)
        session.printToStderr(`${plugin}: ${severity}: ${redact(text.trimEnd())}`)
    },
  }
  try {
    return await (locatedProvider.protocol === 'terraform'
      ? withTerraformOpener(deps, check)
      : withPulumiOpener(deps, check))
  } finally {
    await processes.close()
  }
}

async function withTerraformOpener<T>(
  deps: OpenerDeps,
  check: (open: ProviderOpener) => Promise<T>,
): Promise<T> {
  const { session, locatedProvider, processes, env, home, report } = deps
  const installer = createTerraformInstaller(
    createTerraformInstallDeps({
      env,
      home,
      programFolder: session.cwd,
      pause: ms => sleep(ms),
      now: () => Date.now(),
      report: (_severity, text) => session.printToStderr(text),
    }),
  )
  const filter = { includes: [], excludes: [], providerName: undefined }
  const { path, name, version } = locatedProvider
  const binary = await installer.obtain(
    path === undefined
      ? { ...filter, kind: 'remote', source: name, version }
      : { ...filter, kind: 'local', path },
  )
  const host = createTerraformHost({ processes, env, report })
  return check(
    createTerraformOpener({
      binary,
      start: ({ source }) =>
        host.start({ name: binary.providerName, source, path: binary.path, cwd: session.cwd }),
      report: text =>
        report({ plugin: binary.providerName, severity: 'warning', text, streamId: 0 }),
    }),
  )
}

async function withPulumiOpener<T>(
  deps: OpenerDeps,
  check: (open: ProviderOpener) => Promise<T>,
): Promise<T> {
  const { session, locatedProvider, processes, env, home, report } = deps
  const { name, path } = locatedProvider
  const engine = await openEngineEndpoint(text =>
    report({ plugin: name, severity: 'info', text, streamId: 0 }),
  )
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
    report,
    path: env['PATH'] ?? '',
    install: createPluginInstaller(installDeps),
    programFolder: session.cwd,
    project: 'check',
    projectPlugins:
      path === undefined ? [] : [{ kind: 'resource', name, version: '', folder: dirname(path) }],
    runtimeOptions: {},
    engineAddress: () => engine.address,
  })
  try {
    const { version } = locatedProvider
    const lookup = await host.obtain({ kind: 'resource', name, version, downloadUrl: '' })
    if ('missing' in lookup) throw createError('PLUGIN_MISSING', lookup.missing)
    return await check(createPulumiOpener(host, locatedProvider))
  } finally {
    await host.close()
    engine.close()
  }
}
