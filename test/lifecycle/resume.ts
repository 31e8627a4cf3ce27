import { expect } from 'vitest'
import { type Cloud, createCloud } from './cloud.ts'
import { type Asked, openEngine, type Program, type Ran } from './engine.ts'
import { Killed, type Killing } from './process.ts'
import { deleteFirst, thing, upon } from './things.ts'

/** First a stack to start from, then a program with every kind of step in it. */
export const first: Program = async monitor => {
  const a = await thing(monitor, 'a', { v: 1 })
  await thing(monitor, 'kept', { v: 1 })
  await thing(monitor, 'changed', { v: 1 }, { dependencies: [a.urn] })
  await thing(monitor, 'replaced', { replace: 1 })
  const base = await thing(monitor, 'base', { replace: 1 })
  await thing(monitor, 'upon', { replace: base.id }, upon(base.urn))
  await thing(monitor, 'gone', { v: 1 })
  await thing(monitor, 'gone-upon', { v: 1 }, { dependencies: [a.urn] })
}

export const second: Program = async monitor => {
  const a = await thing(monitor, 'a', { v: 1 })
  const group = await monitor.register({ type: 'test:index:Group', name: 'group', object: {} })
  await thing(monitor, 'kept', { v: 1 })
  await thing(monitor, 'changed', { v: 2 }, { dependencies: [a.urn] })
  await Promise.all([
    thing(monitor, 'new-1', { v: 1 }, { parent: group.urn }),
    thing(monitor, 'new-2', { v: 1 }, { parent: group.urn }),
    thing(monitor, 'replaced', { replace: 2 }),
  ])
  const base = await thing(monitor, 'base', { replace: 2 }, deleteFirst)
  await thing(monitor, 'upon', { replace: base.id }, upon(base.urn))
  await monitor.outputs(group.urn, { made: 2 })
  await monitor.outputs(monitor.stack, { done: true })
}

/** The deployment that is killed, after one that ran `first`. */
export interface Scenario {
  readonly name: string
  readonly program: Program | undefined
  readonly asked: Asked
}

/** One scenario for each way through a command. */
export const scenarios: readonly Scenario[] = [
  { name: 'up', program: second, asked: {} },
  { name: 'up --refresh', program: second, asked: { refresh: true } },
  { name: 'refresh', program: undefined, asked: { command: 'refresh' } },
  { name: 'destroy', program: undefined, asked: { command: 'destroy' } },
]

/** What must be true in the end, told without ids and times. */
interface Final {
  readonly state: unknown
  readonly cloud: unknown
}

function finalOf(ran: Ran, cloud: Cloud): Final {
  const resources = (ran.state.resources ?? []).map(
    ({ created: _c, modified: _m, provider: _p, id: _i, ...kept }) => kept,
  )
  return {
    state: JSON.parse(
      JSON.stringify(resources.sort((x, y) => (x.urn < y.urn ? -1 : 1))).replaceAll(
        /(?<=pulumi:providers:test::default::)[0-9a-f-]+/g,
        'id',
      ),
    ),
    cloud: [...cloud.objects.keys()].sort(),
  }
}

/** The run without a kill: its effects, and what it comes to. */
export async function unharmed({
  program,
  asked,
}: Scenario): Promise<{ readonly effects: number; readonly final: Final }> {
  const cloud = createCloud()
  const engine = await openEngine(cloud.script)
  try {
    await engine.run(first)
    cloud.drift()
    const ran = await engine.run(program, asked)
    return { effects: ran.effects.length, final: finalOf(ran, cloud) }
  } finally {
    await engine.close()
  }
}

/** Names as the table has them: providers are asked one thing or another, plans come with more. */
export function tableName(effect: string): string {
  if (effect.startsWith('provider.')) return 'provider call'
  if (effect.endsWith(' plan')) return 'log.append plan'
  return effect
}

/** What came of a killed and resumed run. */
export interface Outlived {
  /** Whether a create was left whose end nobody can know. */
  readonly isUnknowable: boolean
  readonly effect: string
}

/**
 * Kills the deployment of a scenario at one effect, resumes it, and checks: it comes to what the unharmed
 * one comes to, or names in a pending operation what nobody can know; nothing is created twice, and
 * nothing is lost.
 */
export async function checkOutlives(
  { program, asked }: Scenario,
  kill: Killing,
  expected: Final,
): Promise<Outlived | undefined> {
  const cloud = createCloud()
  const engine = await openEngine(cloud.script)
  try {
    await engine.run(first)
    cloud.drift()
    const began = cloud.log.length
    const killed = await engine.run(program, { ...asked, kill }).then(
      () => undefined,
      thrown => thrown as unknown,
    )
    if (killed === undefined) return undefined
    if (!(killed instanceof Killed)) throw killed
    const effect = tableName(killed.effects.at(-1) ?? '')
    const where = `${kill.when} ${kill.effect}: ${effect}`
    const again = await engine.run(program, { ...asked, resume: true }).catch((thrown: unknown) => {
      // Nothing had been decided, or everything was done: then the next run does the rest.
      if ((thrown as { code?: string }).code !== 'NOTHING_TO_RESUME') throw thrown
      return engine.run(program, asked)
    })
    const pending = again.state.pending_operations ?? []
    const creates = cloud.log.slice(began).filter(line => line.startsWith('create '))
    expect(creates.length, `${where}: ${creates.join()}`).toBe(new Set(creates).size)
    const kept = new Set((again.state.resources ?? []).map(({ id }) => id))
    const names = pending.map(({ resource }) => resource.urn.split('::').at(-1))
    const lost = [...cloud.objects.keys()].filter(
      id => !kept.has(id) && !names.includes(id.replace(/-\d+$/, '')),
    )
    expect(lost, where).toEqual([])
    if (pending.length > 0) {
      expect(again.result.result, where).toBe('failed')
      return { isUnknowable: true, effect }
    }
    expect(finalOf(again, cloud), where).toEqual(expected)
    return { isUnknowable: false, effect }
  } finally {
    await engine.close()
  }
}
