/**
 * terraform/driver: a Terraform provider as a provider of Pulumi's resources. Imports
 * terraform/client, plan, mapping and values, and the provider interface.
 *
 * Invariants: the provider upgrades every state before its use. Every plan and every response is
 * checked as Terraform's core checks it. An object that exists after an error is recorded. A
 * provider is configured with known values only, and at most once.
 */
import { status } from '@grpc/grpc-js'
import { createError } from '../../../errors/error.ts'
import type { Provider } from '../../provider.ts'
import { ProviderError } from '../../provider-error.ts'
import type { TerraformProcess } from '../client/connect-provider.ts'
import { checkObject } from './check-object.ts'
import {
  checkProviderConfig,
  configureProcess,
  compareProviderConfigs,
} from './configure-process.ts'
import { createObject } from './create-object.ts'
import { deleteObject } from './delete-object.ts'
import { diffObject } from './diff-object.ts'
import { invokeToken } from './invoke-token.ts'
import { createTerraformDescription, type ParameterizedPackage } from './terraform-description.ts'
import { parsePackageArguments } from './package-arguments.ts'
import { parsePackageParameter, type PackageParameter } from './package-parameter.ts'
import { createRefusal } from './provider-failure.ts'
import { withEphemerals } from './open-ephemerals.ts'
import { readObject } from './read-object.ts'
import { loadTerraformPackage } from './load-package.ts'
import { createTerraformSession, type TerraformSession } from './terraform-session.ts'
import { updateObject } from './update-object.ts'

/** The file of a provider, and the version that it has. */
export interface ProviderBinary {
  /** The executable. For a provider that the user runs, its full address. */
  readonly path: string
  readonly version: string
  /** The full address of the provider, or the path of a local one. */
  readonly source: string
  /** The type of the provider, such as `random`. */
  readonly providerName: string
}

/** Dependencies of a provider. */
export interface TerraformProviderDeps {
  readonly name: string
  /** Finds or installs the provider that a parameter names. */
  readonly findBinary: (parameter: PackageParameter) => Promise<ProviderBinary>
  readonly start: (binary: ProviderBinary) => Promise<TerraformProcess>
  /** Whether this process is ending, and all its providers with it. */
  readonly isEnding: () => boolean
  /** Shows a warning to the user. */
  readonly warn: (text: string) => void
  /** Shows the progress of an action to the user. */
  readonly inform: (text: string) => void
}

/**
 * Creates a provider. Its process is started when the parameters of the package name the Terraform
 * provider. Until then every call that needs the process fails.
 */
export function createTerraformProvider(deps: TerraformProviderDeps): Provider {
  let running: RunningPackage | undefined
  const getRunning = (): RunningPackage => {
    if (running !== undefined) return running
    throw createRefusal(
      `package '${deps.name}' has no parameters, so its Terraform provider is unknown. Add it with 'antichain package add terraform-provider <source>'`,
    )
  }
  const getSession = (): TerraformSession => getRunning().session
  const start = async (parameter: PackageParameter, name?: string): Promise<RunningPackage> => {
    if (running !== undefined)
      throw createError(
        'PLUGIN_FAILED',
        `the provider of package '${deps.name}' has parameters already`,
      )
    running = await startPackage(deps, parameter, name)
    return running
  }
  return {
    pkg: deps.name,
    version: '',
    isUnconfigured: () => running?.session.isUnconfigured() === true,
    hasEnded: () => running?.process.hasEnded() === true,
    async parameterize({ name, value }) {
      await start(parsePackageParameter(value), name)
    },
    async parameterizeByArguments(args) {
      const { pkg } = await start(parsePackageArguments(args))
      return { name: pkg.name, version: pkg.version }
    },
    describe: createTerraformDescription(getRunning),
    checkConfig: async request => checkProviderConfig(getSession(), request),
    diffConfig: async request => compareProviderConfigs(request),
    configure: async request => configureProcess(getSession(), request),
    check: async request => checkObject(getSession(), request),
    diff: async request =>
      withEphemerals(getSession(), request.newInputs, (newInputs, session) =>
        diffObject(session, { ...request, newInputs }),
      ),
    create: async request =>
      withEphemerals(getSession(), request.inputs, (inputs, session) =>
        createObject(session, { ...request, inputs }),
      ),
    read: async request => readObject(getSession(), request),
    update: async request =>
      failOnCrash(deps.isEnding, () =>
        withEphemerals(getSession(), request.newInputs, (newInputs, session) =>
          updateObject(session, { ...request, newInputs }),
        ),
      ),
    delete: async request => failOnCrash(deps.isEnding, () => deleteObject(getSession(), request)),
    invoke: async request => invokeToken(getSession(), request),
    call: ({ token }) => Promise.reject(createUnsupportedError(deps.name, `method '${token}'`)),
    construct: ({ type }) =>
      Promise.reject(createUnsupportedError(deps.name, `component '${type}'`)),
    async cancel() {
      // A provider that does not stop is killed later, so a failure does not matter.
      await running?.session.client.stopProvider().catch(() => undefined)
    },
    async close() {
      await running?.process.close()
    },
  }
}

function createUnsupportedError(name: string, subject: string): Error {
  return createRefusal(`package '${name}' has no ${subject}: Terraform providers have none`)
}

/** The process of a package, with its parameter and its session. */
export interface RunningPackage extends ParameterizedPackage {
  readonly process: TerraformProcess
  readonly session: TerraformSession
}

/**
 * Starts the provider of a package. The name of the package is `packageName`, else the name in the
 * parameter, else that of the provider. Throws the errors of finding and starting a provider, and
 * ProviderError if a schema is invalid.
 */
export async function startPackage(
  deps: Pick<TerraformProviderDeps, 'findBinary' | 'start' | 'warn' | 'inform'>,
  parameter: PackageParameter,
  packageName?: string,
): Promise<RunningPackage> {
  const binary = await deps.findBinary(parameter)
  const process = await deps.start(binary)
  try {
    const name = packageName ?? parameter.providerName ?? binary.providerName
    const pkg = await loadTerraformPackage(process.client, { ...binary, name }, parameter)
    return {
      process,
      pkg,
      // The arguments may allow several versions. From here on, the version is fixed.
      parameter:
        parameter.kind === 'local'
          ? parameter
          : { ...parameter, source: binary.source, version: binary.version },
      session: createTerraformSession({
        client: process.client,
        pkg,
        warn: deps.warn,
        inform: deps.inform,
      }),
    }
  } catch (thrown) {
    await process.close()
    throw thrown
  }
}

/**
 * Runs a change of an existing object. Converts a crash of the provider to a failed change, as
 * Terraform's core does: the old state remains, and the next deployment finds the difference. If
 * this process is ending, the crash remains a lost call, which the engine repeats.
 */
async function failOnCrash<T>(isEnding: () => boolean, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (thrown) {
    const isCrash = thrown instanceof ProviderError && thrown.status === 'lost' && !isEnding()
    if (!isCrash || thrown.isRequestUnsent) throw thrown
    throw new ProviderError(thrown.message, {
      status: 'unknown',
      code: status.UNKNOWN,
      cause: thrown,
    })
  }
}
