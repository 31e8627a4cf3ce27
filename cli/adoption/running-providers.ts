import type { ConfigValue } from '../../shared/engine/request.ts'
import { assert, createError } from '../../shared/errors/error.ts'
import { providerReferenceOf } from '../../shared/names/provider-reference.ts'
import type { RandomPort } from '../../shared/ports/system.ts'
import type { PackageRequest } from '../../shared/providers/package-request.ts'
import type {
  AdoptingStack,
  AdoptionProviders,
} from '../../shared/providers/terraform/adoption/adopt-instances.ts'
import type { ProviderConfigAddress } from '../../shared/providers/terraform/adoption/state-addresses.ts'
import type { TerraformProcess } from '../../shared/providers/terraform/client/connect-provider.ts'
import {
  startPackage,
  type TerraformProviderDeps,
} from '../../shared/providers/terraform/driver/terraform-provider.ts'
import type { TerraformSession } from '../../shared/providers/terraform/driver/terraform-session.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import { createPackageRequest, type PackageChoice } from './choose-package.ts'
import { createProviderState } from './provider-state.ts'

/** Dependencies of the running providers of an adoption. */
export interface RunningProvidersDeps
  extends Pick<TerraformProviderDeps, 'findBinary' | 'start' | 'warn' | 'inform'> {
  /** Chooses the package of a provider by the provider's full address. */
  readonly choose: (source: string) => PackageChoice
  readonly random: Pick<RandomPort, 'uuid'>
  readonly stack: AdoptingStack
  readonly config: ReadonlyMap<string, ConfigValue>
  /** The provider resources that the stack has already. */
  readonly existingStates: readonly ResourceState[]
}

/** The providers of an adoption. `open` starts a process, which runs until `close`. */
export interface RunningProviders extends AdoptionProviders {
  /** Lists the states of the provider resources whose references `getReference` returned. */
  readonly listStates: () => readonly ResourceState[]
  readonly close: () => Promise<void>
}

/** The package of a provider that runs, and the request by which deployments obtain the package. */
interface StartedPackage {
  readonly request: PackageRequest
  readonly session: TerraformSession
}

/** Creates the providers of an adoption. Each provider starts once, on demand. */
export function createRunningProviders(deps: RunningProvidersDeps): RunningProviders {
  /** The starts by the full address of the provider, which is also the key of `startedPackages`. */
  const pendingStarts = new Map<string, Promise<StartedPackage>>()
  const startedPackages = new Map<string, StartedPackage>()
  const processes: TerraformProcess[] = []
  const states = new Map<string, ResourceState>()
  const start = async (source: string): Promise<StartedPackage> => {
    const { parameter, required } = deps.choose(source)
    const packageName = required?.pkg
    const runningPackage = await startPackage(deps, parameter, packageName)
    processes.push(runningPackage.process)
    const request = createPackageRequest(required, runningPackage)
    refuseUsedName(request, startedPackages)
    const startedPackage = { request, session: runningPackage.session }
    startedPackages.set(source, startedPackage)
    return startedPackage
  }
  /** Returns the existing provider resource of a configuration, or creates a new state. */
  const findOrCreateState = (address: ProviderConfigAddress): ResourceState => {
    const startedPackage = startedPackages.get(address.source)
    assert(startedPackage !== undefined, `the provider ${address.source} is open`)
    const { request, session } = startedPackage
    const { random, stack, config } = deps
    const fields = { id: random.uuid(), stack, config, request, pkg: session.pkg }
    const state = createProviderState(address, fields)
    return (
      deps.existingStates.find(({ urn, delete: isOld }) => urn === state.urn && !isOld) ?? state
    )
  }
  return {
    async open({ source }) {
      const pendingStart = pendingStarts.get(source) ?? start(source)
      pendingStarts.set(source, pendingStart)
      return (await pendingStart).session
    },
    getReference(address) {
      const key = JSON.stringify(address)
      const state = states.get(key) ?? findOrCreateState(address)
      states.set(key, state)
      return providerReferenceOf(state.urn, state.id)
    },
    listStates: () => [...states.values()],
    async close() {
      await Promise.all(processes.map(process => process.close()))
    },
  }
}

/** Refuses a package name that another running provider has. Throws PLUGIN_AMBIGUOUS. */
function refuseUsedName(
  { pkg: packageName }: PackageRequest,
  startedPackages: ReadonlyMap<string, StartedPackage>,
): void {
  for (const [source, { request }] of startedPackages)
    if (request.pkg === packageName)
      throw createError(
        'PLUGIN_AMBIGUOUS',
        `the provider ${source} has the package name '${packageName}' already`,
      )
}
