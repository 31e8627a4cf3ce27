import { createCloud, type Cloud } from './cloud.ts'
import { type TestRunOptions, openEngine, type Program } from './engine.ts'
import {
  createChildrenProgram,
  createChain,
  createComponents,
  listEvenUrns,
  createFlatProgram,
  createImports,
  listNames,
  createPairsProgram,
  createWithProvider,
  createStarProgram,
  scaleUrnOf,
} from './scale-programs.ts'
import { deleteFirst, registerThing } from './register-thing.ts'

/** A case whose decisions are measured: an untimed preparation, and a timed run. */
export interface ScaleCase {
  readonly name: string
  /** Program that prepares the stack, untimed. If absent, the stack is empty. */
  readonly createInitialProgram?: (count: number) => Program
  /** Called before the timed run, after any preparation. */
  readonly beforeTimedRun?: (cloud: Cloud, count: number) => void
  /** Program of the timed run. If absent, the run has no program. */
  readonly createProgram?: (count: number) => Program
  readonly optionsOf?: (count: number) => TestRunOptions
}

/** All cases that are measured. */
export const scaleCases: readonly ScaleCase[] = [
  { name: 'creates', createProgram: createFlatProgram() },
  {
    name: 'unchanged resources',
    createInitialProgram: createFlatProgram(),
    createProgram: createFlatProgram(),
  },
  {
    name: 'updates',
    createInitialProgram: createFlatProgram(),
    createProgram: createFlatProgram(undefined, () => ({ v: 2 })),
  },
  { name: 'a chain of creates', createProgram: createChain({ replace: 'a' }) },
  {
    name: 'a chain that is deleted before it is replaced',
    createInitialProgram: createChain({ replace: 'a' }, deleteFirst),
    createProgram: createChain({ replace: 'b' }, deleteFirst),
  },
  {
    name: 'a chain that is replaced',
    createInitialProgram: createChain({ replace: 'a' }),
    createProgram: createChain({ replace: 'b' }),
  },
  {
    name: 'a star that is deleted before it is replaced',
    createInitialProgram: createStarProgram({ replace: 'a' }, deleteFirst),
    createProgram: createStarProgram({ replace: 'b' }, deleteFirst),
  },
  {
    name: 'all resources replaced together with one',
    createInitialProgram: createStarProgram({ replace: 'a' }, {}, () => ({
      replaceWith: [scaleUrnOf('root')],
    })),
    createProgram: createStarProgram({ replace: 'b' }, {}, () => ({
      replaceWith: [scaleUrnOf('root')],
    })),
  },
  {
    name: 'all resources deleted together with one',
    createInitialProgram: createStarProgram({ replace: 'a' }, {}, () => ({
      deletedWith: scaleUrnOf('root'),
    })),
    createProgram: () => async () => undefined,
  },
  {
    name: 'all resources renamed by aliases',
    createInitialProgram: createFlatProgram(),
    createProgram: count => async monitor => {
      for (const name of listNames(count))
        await registerThing(monitor, `new-${name}`, { v: 1 }, { aliases: [{ spec: { name } }] })
    },
  },
  {
    name: 'all resources moved to another parent',
    createInitialProgram: createChildrenProgram('one'),
    createProgram: createChildrenProgram('two', () => ({
      aliases: [{ spec: { parentUrn: scaleUrnOf('one', 'test:index:Group') } }],
    })),
  },
  {
    name: 'components with outputs',
    createInitialProgram: createComponents(),
    createProgram: createComponents(),
  },
  {
    name: 'a replaced provider',
    createInitialProgram: createWithProvider('a'),
    createProgram: createWithProvider('b'),
  },
  {
    name: 'a refresh',
    createInitialProgram: createFlatProgram(),
    optionsOf: () => ({ command: 'refresh' }),
  },
  {
    name: 'a refresh that finds no object',
    createInitialProgram: createChain({ replace: 'a' }),
    beforeTimedRun: cloud => cloud.objects.clear(),
    optionsOf: () => ({ command: 'refresh' }),
  },
  {
    name: 'a destroy',
    createInitialProgram: createFlatProgram(),
    optionsOf: () => ({ command: 'destroy' }),
  },
  {
    name: 'a destroy of a chain',
    createInitialProgram: createChain({ replace: 'a' }),
    optionsOf: () => ({ command: 'destroy' }),
  },
  {
    name: 'a destroy of a chain in waves',
    createInitialProgram: createChain({ replace: 'a' }),
    optionsOf: () => ({ command: 'destroy', release: 'antichain' }),
  },
  {
    name: 'a destroy of a star in waves',
    createInitialProgram: createStarProgram({ replace: 'a' }),
    optionsOf: () => ({ command: 'destroy', release: 'antichain' }),
  },
  {
    name: 'a destroy of one resource with its dependents',
    createInitialProgram: createChain({ replace: 'a' }),
    optionsOf: () => ({
      command: 'destroy',
      targeting: { targets: [scaleUrnOf('r0')], targetDependents: true },
    }),
  },
  {
    name: 'a destroy of all resources by a pattern',
    createInitialProgram: createFlatProgram(),
    optionsOf: () => ({
      command: 'destroy',
      targeting: { targets: ['**'], targetDependents: true },
    }),
  },
  {
    name: 'all resources deleted before they are replaced',
    createInitialProgram: createFlatProgram(
      () => deleteFirst,
      () => ({ replace: 'a' }),
    ),
    createProgram: createFlatProgram(
      () => deleteFirst,
      () => ({ replace: 'b' }),
    ),
  },
  {
    name: 'each resource deleted and replaced together with another',
    createInitialProgram: createPairsProgram('a'),
    createProgram: createPairsProgram('b'),
  },
  {
    name: 'imports with the resource option',
    beforeTimedRun: (cloud, count) => {
      for (const name of listNames(count)) cloud.objects.set(`${name}-1`, { v: 1 })
    },
    createProgram: createFlatProgram(name => ({ importId: `${name}-1` })),
  },
  {
    name: 'a destroy that excludes all resources as protected',
    createInitialProgram: createFlatProgram(() => ({ protect: true })),
    optionsOf: () => ({ command: 'destroy', targeting: { excludeProtected: true } }),
  },
  {
    name: 'a refresh with the program',
    createInitialProgram: createFlatProgram(),
    createProgram: createFlatProgram(),
    optionsOf: () => ({ command: 'refresh', runProgram: true }),
  },
  {
    name: 'an update with a refresh',
    createInitialProgram: createFlatProgram(),
    createProgram: createFlatProgram(undefined, () => ({ v: 2 })),
    optionsOf: () => ({ refresh: true }),
  },
  {
    name: 'half of the resources as targets',
    createInitialProgram: createFlatProgram(),
    createProgram: createFlatProgram(undefined, () => ({ v: 2 })),
    optionsOf: count => ({ targeting: { targets: listEvenUrns(count) } }),
  },
  {
    name: 'half of the resources excluded with dependents',
    createInitialProgram: createFlatProgram(),
    createProgram: createFlatProgram(undefined, () => ({ v: 2 })),
    optionsOf: count => ({ targeting: { excludes: listEvenUrns(count), excludeDependents: true } }),
  },
  {
    name: 'a target with its dependents',
    createInitialProgram: createChain({ replace: 'a' }),
    createProgram: createChain({ replace: 'b' }),
    optionsOf: () => ({ targeting: { targets: [scaleUrnOf('r0')], targetDependents: true } }),
  },
  {
    name: 'half of the resources replaced on request',
    createInitialProgram: createFlatProgram(),
    createProgram: createFlatProgram(),
    optionsOf: count => ({ targeting: { replaces: listEvenUrns(count) } }),
  },
  {
    name: 'imports with the command',
    beforeTimedRun: (cloud, count) => {
      for (const name of listNames(count)) cloud.objects.set(`${name}-1`, { v: 1 })
    },
    optionsOf: count => ({ command: 'import', imports: createImports(count) }),
  },
  {
    name: 'a preview that drafts an update plan',
    createInitialProgram: createFlatProgram(),
    createProgram: createFlatProgram(undefined, () => ({ v: 2 })),
    optionsOf: () => ({ dryRun: true, request: { draftsUpdatePlan: true } }),
  },
  {
    name: 'failed creates with --continue-on-error',
    beforeTimedRun: (cloud, count) => {
      for (const name of listNames(count)) cloud.faults.add(`create ${name}`)
    },
    createProgram: count => async monitor => {
      const register = (name: string) => registerThing(monitor, name, {}).catch(() => undefined)
      for (const name of listNames(count)) await register(name)
    },
    optionsOf: () => ({ continueOnError: true }),
  },
]

/**
 * Returns the processor time of the timed run of a case, in ms. It includes the engine and the
 * test's own program and provider.
 */
export async function measureCpu(scaleCase: ScaleCase, count: number): Promise<number> {
  const cloud = createCloud()
  const engine = await openEngine(cloud.script)
  try {
    if (scaleCase.createInitialProgram !== undefined) {
      const { result } = await engine.run(scaleCase.createInitialProgram(count))
      if (result.result !== 'succeeded')
        throw new Error(`preparation of ${scaleCase.name}: ${result.result}`)
    }
    scaleCase.beforeTimedRun?.(cloud, count)
    const start = process.cpuUsage()
    const { result } = await engine.run(
      scaleCase.createProgram?.(count),
      scaleCase.optionsOf?.(count),
    )
    const { user, system } = process.cpuUsage(start)
    if (result.result !== 'succeeded' && scaleCase.optionsOf?.(1).continueOnError !== true)
      throw new Error(`${scaleCase.name}: ${result.result}`)
    return (user + system) / 1000
  } finally {
    await engine.close()
  }
}
