import type { GeneratorPorts } from '../functions/step-generator/start.ts'
import { viewLog } from '../shared/engine/deployment/log-view.ts'
import { standingOf } from '../shared/engine/deployment/take-over.ts'
import { deploymentPartsOf, type StackId } from '../shared/records/ids.ts'

/**
 * How the current deployment of a stack stands, for people. `running`: its process lives.
 * `interrupted`: that is gone, and `antichain resume` would go on. `ending`: it is gone too, but
 * nothing more is to be begun: it can only be closed.
 */
export type Standing =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running' | 'interrupted' | 'ending'
      readonly number: number
      /** Whether somebody, or a failure, told it to stop. */
      readonly isStopped: boolean
    }

/** How the current deployment of a stack stands; `none` too for a stack that is not there. */
export async function standingNow(ports: GeneratorPorts, stack: StackId): Promise<Standing> {
  const record = await ports.catalog.stack(stack)
  if (record === undefined || record.current === '') return { kind: 'none' }
  const { number } = deploymentPartsOf(record.current)
  const standing = await standingOf(ports, record.current)
  if (standing.kind === 'over') return { kind: 'none' }
  const control = await ports.control.read(record.current)
  const isStopped = control !== undefined && control.stop !== 'none'
  if (standing.kind === 'held') return { kind: 'running', number, isStopped }
  const { pin, closing } = await viewLog(ports, record.current)
  const isEnding = isStopped || pin === undefined || closing !== undefined
  return { kind: isEnding ? 'ending' : 'interrupted', number, isStopped }
}
