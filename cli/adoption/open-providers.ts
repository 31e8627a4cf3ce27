import type { ConfigValue } from '../../shared/engine/request.ts'
import { assert, error } from '../../shared/errors/error.ts'
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

/** Dependencies of the providers of an adoption. */
export interface OpenProvidersDeps
  extends Pick<TerraformProviderDeps, 'findBinary' | 'start' | 'warn' | 'inform'> {
  /** Chooses the package of a provider by the provider's full address. */
  readonly choose: (source: string) => PackageChoice
  readonly random: Pick<RandomPort, 'uuid'>
  readonly stack: AdoptingStack
  readonly config: ReadonlyMap<string, ConfigValue>
  /** The provider resources that the stack has already. */
  readonly existingStates: readonly ResourceState[]
}

/** The providers of an adoption, whose processes run until `close`. */
export interface OpenProviders extends AdoptionProviders {
  /** Lists the states of the provider resources whose references `getReference` returned. */
  readonly listStates: () => readonly ResourceState[]
  readonly close: () => Promise<void>
}

interface AdoptingPackage {
  readonly request: PackageRequest
  readonly session: TerraformSession
}

/** Creates the providers of an adoption. Each provider starts once, on demand. */
export function createOpenProviders(deps: OpenProvidersDeps): OpenProviders {
  const packages = new Map<string, Promise<AdoptingPackage>>()
  const running = new Map<string, AdoptingPackage>()
  const processes: TerraformProcess[] = []
  const states = new Map<string, ResourceState>()
  const start = async (source: string): Promise<AdoptingPackage> => {
    const { parameter, required } = deps.choose(source)
    const started = await startPackage(deps, parameter, required?.pkg)
    processes.push(started.process)
    const request = createPackageRequest(required, started)
    refuseUsedName(request, running)
    const adopting = { request, session: started.session }
    running.set(source, adopting)
    return adopting
  }
  const createState = (address: ProviderConfigAddress): ResourceState => {
    const adopting = running.get(address.source)
    assert(adopting !== undefined, `the provider ${address.source} is open`)
    const { request, session } = adopting
    const { random, stack, config } = deps
    const fields = { id: random.uuid(), stack, config, request, pkg: session.pkg }
    const state = createProviderState(address, fields)
    return (
      deps.existingStates.find(({ urn, delete: isOld }) => urn === state.urn && !isOld) ?? state
    )
  }
  return {
    async open({ source }) {
      const opening = packages.get(source) ?? start(source)
      packages.set(source, opening)
      return (await opening).session
    },
    getReference(address) {
      const key = JSON.stringify(address)
      const state = states.get(key) ?? createState(address)
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
  { pkg }: PackageRequest,
  running: ReadonlyMap<string, AdoptingPackage>,
): void {
  for (const [source, { request }] of running)
    if (request.pkg === pkg)
      throw error(
        'PLUGIN_AMBIGUOUS',
        `the provider ${source} has the package name '${pkg}' already`,
      )
}
