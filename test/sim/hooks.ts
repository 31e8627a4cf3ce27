import { ResourceHookRequest, ResourceHookResponse } from '../../proto/gen/pulumi/resource.ts'
import type { Callbacks } from '../../shared/engine/monitor/callbacks.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { createDraw, type SeededDraw } from './draw.ts'
import type { HookRules } from './hook-rules.ts'
import type { Launch } from './network.ts'
import type { World } from './world.ts'

/** The hook types of simulated programs. */
export const simHookTypes = [
  'BeforeCreate',
  'AfterCreate',
  'BeforeUpdate',
  'AfterUpdate',
  'BeforeDelete',
  'AfterDelete',
] as const

/** One of these hook types. */
export type SimHookType = (typeof simHookTypes)[number]

/** The hook types of each thing, by name: the same in all steps of a scenario. */
export type HooksByName = ReadonlyMap<string, readonly SimHookType[]>

/** Share of the scenarios that draw hooks, and share of the things in them that draw hooks. */
const [hookedScenarioShare, hookedThingShare] = [0.2, 0.4]

/**
 * Draws the hooks of a scenario. Most scenarios have none. Each thing draws from a stream with its
 * own name.
 */
export function drawHooks(draw: SeededDraw, names: Iterable<string>): HooksByName {
  if (!draw.chance(hookedScenarioShare)) return new Map()
  return new Map(
    [...new Set(names)].flatMap((name): [string, readonly SimHookType[]][] => {
      const thingDraw = draw.fork(name)
      if (!thingDraw.chance(hookedThingShare)) return []
      return [[name, simHookTypes.filter(() => thingDraw.chance(0.5))]]
    }),
  )
}

/** Draws the hooks that refuse in one step, as `<hook type> <name>`. */
export function drawRefusals(draw: SeededDraw, hooks: HooksByName): readonly string[] {
  if (!draw.chance(0.3)) return []
  return [...hooks].flatMap(([name, types]) =>
    types.filter(() => draw.chance(0.12)).map(hookType => `${hookType} ${name}`),
  )
}

/** Returns the duration of a hook, in ms: sometimes longer than a call or a time limit. */
function drawHookMs(draw: SeededDraw): number {
  return draw.chance(0.08) ? draw.integer(1_000, 8_000) : draw.integer(1, 500)
}

/**
 * Creates the callbacks of a program. A hook only takes some time, and fails if `refusals` names
 * it; its token is its type. After a close, pending calls fail like a lost connection. A dead
 * process receives nothing.
 */
export function createSimCallbacks(
  { scheduler, seed, cover, trace }: World,
  { key, node, deployment }: Pick<Launch, 'key' | 'node' | 'deployment'>,
  options: {
    readonly rules: HookRules
    readonly refusals: ReadonlySet<string>
    readonly deployment: DeploymentId | undefined
  },
): Callbacks {
  const { rules, refusals } = options
  const draw = createDraw(node.number).fork(`${seed} hooks`)
  const pendingRejections = new Set<() => void>()
  let isClosed = false
  return {
    invoke: ({ token: hookType }, request) =>
      new Promise((resolve, reject) => {
        const { urn, id, name } = ResourceHookRequest.decode(request)
        const hookCall = { deployment: options.deployment ?? deployment(), hookType, urn }
        const rejectLost = (): void => {
          pendingRejections.delete(rejectLost)
          reject(new Error('the program is gone'))
        }
        if (isClosed) return void scheduler.after(1, rejectLost, node)
        rules.onCalled({ ...hookCall, id, processKey: key })
        trace(`${key} hook.${hookType} ${name}`)
        pendingRejections.add(rejectLost)
        const answer = (): void => {
          if (!pendingRejections.delete(rejectLost)) return
          const isRefused = refusals.has(`${hookType} ${name}`)
          if (isRefused) cover('rule', 'a hook refuses a step')
          else rules.onPassed(hookCall)
          const error = isRefused ? `${hookType} ${name} was refused` : ''
          resolve(ResourceHookResponse.encode({ error }).finish())
        }
        scheduler.after(drawHookMs(draw), answer, node)
      }),
    close() {
      isClosed = true
      for (const rejectPending of pendingRejections) scheduler.after(1, rejectPending, node)
      pendingRejections.clear()
    },
  }
}
