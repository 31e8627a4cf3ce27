import { createCloud, type Cloud } from './cloud.ts'
import { type Asked, openEngine, type Program } from './engine.ts'
import {
  below,
  chain,
  components,
  even,
  flat,
  imported,
  names,
  pairs,
  provided,
  star,
  urnOf,
} from './scale-programs.ts'
import { deleteFirst, thing } from './things.ts'

/** Resources whose decisions are measured: what stands before, and the run that is timed. */
export interface Scale {
  readonly name: string
  /** What is made first, untimed; absent: nothing. */
  readonly before?: (count: number) => Program
  /** Untimed, between both. */
  readonly between?: (cloud: Cloud, count: number) => void
  readonly program?: (count: number) => Program
  readonly asked?: (count: number) => Asked
}

/** All that is measured. */
export const scales: readonly Scale[] = [
  { name: 'creates', program: flat() },
  { name: 'nothing', before: flat(), program: flat() },
  { name: 'updates', before: flat(), program: flat(undefined, () => ({ v: 2 })) },
  { name: 'a chain that is made', program: chain({ replace: 'a' }) },
  {
    name: 'a chain that is deleted before it is replaced',
    before: chain({ replace: 'a' }, deleteFirst),
    program: chain({ replace: 'b' }, deleteFirst),
  },
  { name: 'a chain replaced', before: chain({ replace: 'a' }), program: chain({ replace: 'b' }) },
  {
    name: 'a star that is deleted before it is replaced',
    before: star({ replace: 'a' }, deleteFirst),
    program: star({ replace: 'b' }, deleteFirst),
  },
  {
    name: 'all replaced with one',
    before: star({ replace: 'a' }, {}, () => ({ replaceWith: [urnOf('root')] })),
    program: star({ replace: 'b' }, {}, () => ({ replaceWith: [urnOf('root')] })),
  },
  {
    name: 'all deleted with one',
    before: star({ replace: 'a' }, {}, () => ({ deletedWith: urnOf('root') })),
    program: () => async () => undefined,
  },
  {
    name: 'all by new names',
    before: flat(),
    program: count => async monitor => {
      for (const name of names(count))
        await thing(monitor, `new-${name}`, { v: 1 }, { aliases: [{ spec: { name } }] })
    },
  },
  {
    name: 'all below another parent',
    before: below('one'),
    program: below('two', () => ({
      aliases: [{ spec: { parentUrn: urnOf('one', 'test:index:Group') } }],
    })),
  },
  { name: 'components with outputs', before: components(), program: components() },
  { name: 'a provider replaced', before: provided('a'), program: provided('b') },
  { name: 'a refresh', before: flat(), asked: () => ({ command: 'refresh' }) },
  {
    name: 'a refresh that finds nothing',
    before: chain({ replace: 'a' }),
    between: cloud => cloud.objects.clear(),
    asked: () => ({ command: 'refresh' }),
  },
  { name: 'a destroy', before: flat(), asked: () => ({ command: 'destroy' }) },
  {
    name: 'a destroy of a chain',
    before: chain({ replace: 'a' }),
    asked: () => ({ command: 'destroy' }),
  },
  {
    name: 'a destroy of a chain in waves',
    before: chain({ replace: 'a' }),
    asked: () => ({ command: 'destroy', release: 'antichain' }),
  },
  {
    name: 'a destroy of a star in waves',
    before: star({ replace: 'a' }),
    asked: () => ({ command: 'destroy', release: 'antichain' }),
  },
  {
    name: 'a destroy of one with its dependents',
    before: chain({ replace: 'a' }),
    asked: () => ({
      command: 'destroy',
      targeting: { targets: [urnOf('r0')], targetDependents: true },
    }),
  },
  {
    name: 'a destroy of all by a pattern',
    before: flat(),
    asked: () => ({ command: 'destroy', targeting: { targets: ['**'], targetDependents: true } }),
  },
  {
    name: 'all deleted before they are replaced',
    before: flat(
      () => deleteFirst,
      () => ({ replace: 'a' }),
    ),
    program: flat(
      () => deleteFirst,
      () => ({ replace: 'b' }),
    ),
  },
  {
    name: 'each deleted with, and replaced with, another',
    before: pairs('a'),
    program: pairs('b'),
  },
  {
    name: 'imports by the option',
    between: (cloud, count) => {
      for (const name of names(count)) cloud.objects.set(`${name}-1`, { v: 1 })
    },
    program: flat(name => ({ importId: `${name}-1` })),
  },
  {
    name: 'all protected, and refused',
    before: flat(() => ({ protect: true })),
    asked: () => ({ command: 'destroy', targeting: { excludeProtected: true } }),
  },
  {
    name: 'a refresh by the program',
    before: flat(),
    program: flat(),
    asked: () => ({ command: 'refresh', runProgram: true }),
  },
  {
    name: 'a refresh with the update',
    before: flat(),
    program: flat(undefined, () => ({ v: 2 })),
    asked: () => ({ refresh: true }),
  },
  {
    name: 'a half by targets',
    before: flat(),
    program: flat(undefined, () => ({ v: 2 })),
    asked: count => ({ targeting: { targets: even(count) } }),
  },
  {
    name: 'a half by excludes with dependents',
    before: flat(),
    program: flat(undefined, () => ({ v: 2 })),
    asked: count => ({ targeting: { excludes: even(count), excludeDependents: true } }),
  },
  {
    name: 'a target with its dependents',
    before: chain({ replace: 'a' }),
    program: chain({ replace: 'b' }),
    asked: () => ({ targeting: { targets: [urnOf('r0')], targetDependents: true } }),
  },
  {
    name: 'a half replaced by name',
    before: flat(),
    program: flat(),
    asked: count => ({ targeting: { replaces: even(count) } }),
  },
  {
    name: 'imports',
    between: (cloud, count) => {
      for (const name of names(count)) cloud.objects.set(`${name}-1`, { v: 1 })
    },
    asked: count => ({ command: 'import', imports: imported(count) }),
  },
  {
    name: 'a plan',
    before: flat(),
    program: flat(undefined, () => ({ v: 2 })),
    asked: () => ({ dryRun: true, request: { drawsPlan: true } }),
  },
  {
    name: 'creates that fail, and go on',
    between: (cloud, count) => {
      for (const name of names(count)) cloud.faults.add(`create ${name}`)
    },
    program: count => async monitor => {
      const register = (name: string) => thing(monitor, name, {}).catch(() => undefined)
      for (const name of names(count)) await register(name)
    },
    asked: () => ({ continueOnError: true }),
  },
]

/** Processor time of the run in ms, of the engine and what it is told by. */
export async function cpuOf(scale: Scale, count: number): Promise<number> {
  const cloud = createCloud()
  const engine = await openEngine(cloud.script)
  try {
    if (scale.before !== undefined) {
      const { result } = await engine.run(scale.before(count))
      if (result.result !== 'succeeded') throw new Error(`before ${scale.name}: ${result.result}`)
    }
    scale.between?.(cloud, count)
    const start = process.cpuUsage()
    const { result } = await engine.run(scale.program?.(count), scale.asked?.(count))
    const { user, system } = process.cpuUsage(start)
    if (result.result !== 'succeeded' && scale.asked?.(1).continueOnError !== true)
      throw new Error(`${scale.name}: ${result.result}`)
    return (user + system) / 1000
  } finally {
    await engine.close()
  }
}
