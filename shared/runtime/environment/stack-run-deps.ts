import type { DeployRequest } from '../../engine/request.ts'
import type { StackId } from '../../records/ids.ts'
import type { Platform } from '../../ports/platform.ts'
import type { RunInput, Hosts } from './run-input.ts'
import type { FetchPlugin } from '../plugins/fetch-plugin.ts'
import type { OpenState } from './read-stack-references.ts'
import type { GeneratorPorts } from '../deployment/generator-ports.ts'

/** What one life is made of. */
export interface StackRunDeps {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  /** What a test brings of its own; the real ones otherwise. */
  readonly hosts?: () => Hosts
  /** The environment of a stack's program and plugins; that of this process where it is absent. */
  readonly resolveVariables?: (request: DeployRequest) => Promise<Readonly<Record<string, string>>>
  /** Whether this environment may work for a stack; for any where it is absent. */
  readonly mayServe?: (stack: StackId) => boolean
  /** Puts plugins that are nowhere into the plugin cache of that environment. */
  readonly fetchPlugin?: FetchPlugin
  /** Opens secrets of other stacks. */
  readonly openState?: OpenState
}

/** What a run is asked with, with the environment of its stack. Throws STACK_ROLE_REFUSED. */
export async function withStackVariables(deps: StackRunDeps, input: RunInput): Promise<RunInput> {
  const { resolveVariables, fetchPlugin, openState } = deps
  const withPlugins = {
    ...input,
    ...(fetchPlugin === undefined ? {} : { fetchPlugin }),
    ...(openState === undefined ? {} : { openState }),
  }
  if (resolveVariables === undefined) return withPlugins
  return { ...withPlugins, variables: await resolveVariables(input.request) }
}
