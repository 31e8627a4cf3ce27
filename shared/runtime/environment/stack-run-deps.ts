import type { DeployInput } from '../../engine/request.ts'
import type { DeploymentId, StackId } from '../../records/ids.ts'
import type { Platform } from '../../ports/platform.ts'
import type { RunInput, Hosts } from './run-input.ts'
import type { FetchPlugin } from '../plugins/fetch-plugin.ts'
import type { OpenStateManager } from './read-stack-references.ts'
import type { GeneratorPorts } from '../deployment/generator-ports.ts'

/** Dependencies of a generator run. */
export interface StackRunDeps {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  /** Creates the hosts of a test. Absent: hosts that start real processes. */
  readonly hosts?: () => Hosts
  /** Returns the environment of a stack's program and plugins. Absent: that of this process. */
  readonly resolveVariables?: (request: DeployInput) => Promise<Readonly<Record<string, string>>>
  /** See `RunInput.inlineOperationsMax`. */
  readonly inlineOperationsMax?: number
  /**
   * Reports whether this execution environment may serve a stack. Absent: all stacks may be served.
   */
  readonly mayServe?: (stack: StackId) => boolean
  /** Receives each deployment for which this process works, to record its cost. */
  readonly assignUsage?: (deployment: DeploymentId) => void
  /** Installs missing plugins in the plugin cache of the stack's environment. */
  readonly fetchPlugin?: FetchPlugin
  /** Opens secrets of other stacks. */
  readonly openStateManager?: OpenStateManager
}

/**
 * Returns the input of a run with additions from `deps`: the variables of the stack, the plugin
 * installer and the opener of secrets. Throws STACK_ROLE_REFUSED.
 */
export async function withStackSettings(deps: StackRunDeps, input: RunInput): Promise<RunInput> {
  const { resolveVariables, fetchPlugin, openStateManager } = deps
  const extendedInput = {
    ...input,
    ...(fetchPlugin === undefined ? {} : { fetchPlugin }),
    ...(openStateManager === undefined ? {} : { openStateManager }),
  }
  if (resolveVariables === undefined) return extendedInput
  return { ...extendedInput, variables: await resolveVariables(input.request) }
}
