import { ResourceHookRequest, ResourceHookResponse } from '../../proto/gen/pulumi/resource.ts'
import type { Callbacks } from '../../shared/engine/monitor/callbacks.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { createDraw, type SeededDraw } from './draw.ts'
import type { HookRules } from './hook-rules.ts'
import type { Launch } from './network.ts'
import type { World } from './world.ts'

/** The hook types of simulated programs. */
export const moments = [
  'BeforeCreate',
  'AfterCreate',
  'BeforeUpdate',
  'AfterUpdate',
  'BeforeDelete',
  'AfterDelete',
] as const

/** One of these hook types. */
export type Moment = (typeof moments)[number]

/** The hook types of each thing, by name: the same in all steps of a scenario. */
export type HooksByName = ReadonlyMap<string, readonly Moment[]>

/** Share of scenarios with hooks, and share of their things. */
const [hookedScenarios, hookedThings] = [0.2, 0.4]

/**
 * Draws the hooks of a scenario; most have none. Each thing draws from a stream of its own name.
 */
export function drawHooks(draw: SeededDraw, names: Iterable<string>): HooksByName {
  if (!draw.chance(hookedScenarios)) return new Map()
  return new Map(
    [...new Set(names)].flatMap((name): [string, readonly Moment[]][] => {
      const own = draw.fork(name)
      if (!own.chance(hookedThings)) return []
      return [[name, moments.filter(() => own.chance(0.5))]]
    }),
  )
}

/** Draws the hooks that refuse in one step, as `<moment> <name>`. */
export function drawRefusals(draw: SeededDraw, hooks: HooksByName): readonly string[] {
  if (!draw.chance(0.3)) return []
  return [...hooks].flatMap(([name, own]) =>
    own.filter(() => draw.chance(0.12)).map(moment => `${moment} ${name}`),
  )
}

/** Returns the duration of a hook, in ms: sometimes longer than a call or a time limit. */
function hookMs(draw: SeededDraw): number {
  return draw.chance(0.08) ? draw.whole(1_000, 8_000) : draw.whole(1, 500)
}

/**
 * Creates the callbacks of a program. A hook only takes some time, and fails if `refuses` names it;
 * its token is its type. After a close, pending calls fail like a lost connection. A dead process
 * receives nothing.
 */
export function createSimCallbacks(
  { scheduler, seed, cover, trace }: World,
  { key, node, deployment }: Pick<Launch, 'key' | 'node' | 'deployment'>,
  options: {
    readonly rules: HookRules
    readonly refuses: ReadonlySet<string>
    readonly deployment: DeploymentId | undefined
  },
): Callbacks {
  const { rules, refuses } = options
  const draw = createDraw(node.number).fork(`${seed} hooks`)
  const open = new Set<() => void>()
  let isClosed = false
  return {
    invoke: ({ token: moment }, request) =>
      new Promise((resolve, reject) => {
        const { urn, id, name } = ResourceHookRequest.decode(request)
        const hookCall = { deployment: options.deployment ?? deployment(), moment, urn }
        const rejectLost = (): void => {
          open.delete(rejectLost)
          reject(new Error('the program is gone'))
        }
        if (isClosed) return void scheduler.after(1, rejectLost, node)
        rules.onCalled({ ...hookCall, id, who: key })
        trace(`${key} hook.${moment} ${name}`)
        open.add(rejectLost)
        const answer = (): void => {
          if (!open.delete(rejectLost)) return
          const isRefused = refuses.has(`${moment} ${name}`)
          if (isRefused) cover('rule', 'a hook refuses a step')
          else rules.onPassed(hookCall)
          const error = isRefused ? `${moment} ${name} was refused` : ''
          resolve(ResourceHookResponse.encode({ error }).finish())
        }
        scheduler.after(hookMs(draw), answer, node)
      }),
    close() {
      isClosed = true
      for (const lose of open) scheduler.after(1, lose, node)
      open.clear()
    },
  }
}
