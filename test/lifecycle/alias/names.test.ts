import { afterEach, describe, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { createEngines, deleteFirst } from '../register-thing.ts'
import {
  type ResourceDeclaration,
  stepKindsOf,
  toProgram,
  type AliasInput,
  typedUrnOf,
  stateUrnsOf,
} from './declarations.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** One deployment: the expected kinds of its steps, and then the resources that it registers. */
type DeploymentCase = readonly [readonly string[], ...ResourceDeclaration[]]

/** Runs the deployments on one stack, checks steps and URNs, and returns the provider calls. */
async function runDeployments(deployments: readonly DeploymentCase[]): Promise<readonly string[]> {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  for (const [number, [stepKinds, ...declarations]] of deployments.entries()) {
    const testRun = await engine.run(toProgram(...declarations))
    expect([number, testRun.result.result, stepKindsOf(testRun)]).toEqual([
      number,
      'succeeded',
      stepKinds,
    ])
    const expectedUrns = declarations.map(({ type, name, parent }) =>
      typedUrnOf(childTypeOf(parent, type), name),
    )
    expect(stateUrnsOf(testRun).toSorted()).toEqual(expectedUrns.toSorted())
  }
  return cloud.mutatingCalls
}

function childTypeOf(parent: string | undefined, type: string): string {
  return parent === undefined ? type : `${parent.split('::')[2]}$${type}`
}

// The kinds of steps of a deployment.
const create = ['create']
const same = ['same']
const update = ['update']
const replace = ['create-replacement', 'delete-replaced', 'replace']

/** The parts of a resource's former URN that differ from its current URN. */
type FormerParts = Exclude<AliasInput, string>

/** Writes an alias for a former URN: its differing parts, or the whole former URN. */
type AliasWriter = (former: FormerParts, current: ResourceDeclaration) => AliasInput

const writeParts: AliasWriter = former => former
const writeWholeUrn: AliasWriter = (former, current) => {
  const parent = former.noParent === true ? undefined : (former.parent ?? current.parent)
  return typedUrnOf(childTypeOf(parent, former.type ?? current.type), former.name ?? current.name)
}
const aliasWriters = [
  ['TestAliases: with aliases as parts of URNs', writeParts],
  ['TestAliasURNs: with aliases as whole URNs', writeWholeUrn],
] as const

/** Returns the type of the test provider with a short name. */
const typeOf = (shortName: string): string => `test:index:${shortName}`

describe.each(aliasWriters)('%s', (_title, writeAlias) => {
  const withAliases = (
    current: ResourceDeclaration,
    ...formers: readonly FormerParts[]
  ): ResourceDeclaration => ({
    ...current,
    aliases: formers.map(former => writeAlias(former, current)),
  })

  test('old names and types are found, with updates and replacements', async () => {
    const deployments: readonly DeploymentCase[] = [
      [create, { type: typeOf('T1'), name: 'n1' }],
      [same, withAliases({ type: typeOf('T1'), name: 'n2' }, { name: 'n1' })],
      [same, withAliases({ type: typeOf('T1'), name: 'n3' }, { name: 'n2' }, { name: 'n1' })],
      [same, withAliases({ type: typeOf('T1'), name: 'n3' }, { name: 'n1' }, { name: 'n2' })],
      [
        same,
        withAliases(
          { type: typeOf('T1'), name: 'n1' },
          { name: 'n3' },
          { name: 'n2' },
          { name: 'n1' },
        ),
      ],
      [same, { type: typeOf('T1'), name: 'n1' }],
      [same, withAliases({ type: typeOf('T2'), name: 'n1' }, { type: typeOf('T1') })],
      [
        same,
        withAliases(
          { type: typeOf('T3'), name: 'n1' },
          { type: typeOf('T1') },
          { type: typeOf('T2') },
        ),
      ],
      [
        same,
        withAliases(
          { type: typeOf('T3'), name: 'n1' },
          { type: typeOf('T3') },
          { type: typeOf('T2') },
        ),
      ],
      [same, { type: typeOf('T3'), name: 'n1' }],
      [
        update,
        withAliases(
          { type: typeOf('T4'), name: 'n2', object: { x: 4 } },
          { type: typeOf('T3'), name: 'n1' },
        ),
      ],
      [
        update,
        withAliases(
          { type: typeOf('T5'), name: 'n3', object: { x: 5 } },
          { type: typeOf('T4'), name: 'n2' },
        ),
      ],
      [
        replace,
        withAliases(
          { type: typeOf('T6'), name: 'n4', object: { replace: 6 } },
          { type: typeOf('T5'), name: 'n3' },
        ),
      ],
      [
        replace,
        withAliases(
          { type: typeOf('T7'), name: 'n5', object: { replace: 7 }, otherFields: deleteFirst },
          { type: typeOf('T6'), name: 'n4' },
        ),
      ],
    ]
    const calls = await runDeployments(deployments)
    expect(calls).toEqual([
      'create n1',
      'update n1-1',
      'update n1-1',
      'create n4',
      'delete n1-1',
      'delete n4-1',
      'create n5',
    ])
  })

  test('a dependent keeps its state when its renamed dependency is deleted before the replacement', async () => {
    const withDependencyOn = (type: string, name: string) => ({
      dependencies: [typedUrnOf(typeOf(type), name)],
    })
    const calls = await runDeployments([
      [
        create,
        { type: typeOf('T1'), name: 'n1', object: { replace: 1 }, otherFields: deleteFirst },
        { type: typeOf('T2'), name: 'n2', otherFields: withDependencyOn('T1', 'n1') },
      ],
      [
        [...replace, 'same'],
        withAliases(
          { type: typeOf('New'), name: 'n1-new', object: { replace: 2 }, otherFields: deleteFirst },
          { type: typeOf('T1'), name: 'n1' },
        ),
        withAliases(
          {
            type: typeOf('T2-new'),
            name: 'n2-new',
            otherFields: withDependencyOn('New', 'n1-new'),
          },
          { type: typeOf('T2'), name: 'n2' },
        ),
      ],
    ])
    expect(calls.slice(2)).toEqual(['delete n1-1', 'create n1-new'])
  })

  test('a resource is found after it gets or loses a parent, or changes its name or type below a parent', async () => {
    await runDeployments([
      [create, { type: typeOf('T1'), name: 'one' }, { type: typeOf('T2'), name: 'two' }],
      [
        same,
        { type: typeOf('T1'), name: 'one' },
        withAliases(
          { type: typeOf('T2'), name: 'two', parent: typedUrnOf(typeOf('T1'), 'one') },
          { noParent: true },
        ),
      ],
      [
        same,
        { type: typeOf('T1'), name: 'one' },
        withAliases(
          { type: typeOf('T2'), name: 'two' },
          { parent: typedUrnOf(typeOf('T1'), 'one') },
        ),
      ],
    ])
    const child = { type: typeOf('T1'), name: 'sub', parent: typedUrnOf(typeOf('T1'), 'parent') }
    const nestedUrn = typedUrnOf(`${typeOf('T1')}$${typeOf('T1')}`, 'sub')
    const top = { type: typeOf('T1'), name: 'parent' }
    await runDeployments([
      [create, top, child, { type: typeOf('T1'), name: 'sub-sub', parent: nestedUrn }],
      [
        same,
        top,
        child,
        withAliases({ type: typeOf('T1'), name: 'new', parent: nestedUrn }, { name: 'sub-sub' }),
      ],
      [
        same,
        top,
        child,
        withAliases({ type: typeOf('T3'), name: 'new', parent: nestedUrn }, { type: typeOf('T1') }),
      ],
    ])
  })

  test('two resources cannot have the same alias', async () => {
    const engine = await engines.open(createCloud())
    await engine.run(toProgram({ type: typeOf('T1'), name: 'n1' }))
    const testRun = await engine.run(
      toProgram(
        withAliases({ type: typeOf('T1'), name: 'n2' }, { name: 'n1' }),
        withAliases({ type: typeOf('T2'), name: 'n3' }, { type: typeOf('T1'), name: 'n1' }),
      ),
    )
    expect(testRun.result.result).toBe('failed')
    expect(stateUrnsOf(testRun)).toEqual([typedUrnOf(typeOf('T1'), 'n2')])
  })
})

test('TestAliases: a chain of children is found by the old names of all ancestors', async () => {
  const declareNested = (topType: string, top: string): readonly ResourceDeclaration[] => [
    { type: typeOf(topType), name: top },
    { type: typeOf('T2'), name: `${top}-sub`, parent: typedUrnOf(typeOf(topType), top) },
    {
      type: typeOf('T3'),
      name: `${top}-sub-sub`,
      parent: typedUrnOf(`${typeOf(topType)}$${typeOf('T2')}`, `${top}-sub`),
    },
  ]
  const [top, ...children] = declareNested('New', 'n1-new')
  if (top === undefined) throw new Error('no resource is declared')
  const renamed = { ...top, aliases: [{ type: typeOf('T1'), name: 'n1' }] }
  await runDeployments([
    [create, ...declareNested('T1', 'n1')],
    // A child whose name begins with its parent's name needs no alias of its own.
    [same, renamed, ...children],
  ])
})

test('TestAliases: one alias matches among a thousand', async () => {
  const topTypes = Array.from({ length: 100 }, (_, index) => typeOf(`T1-v${index}`))
  const nestedTypes = topTypes.flatMap(topType =>
    Array.from({ length: 10 }, (_, index) => `${topType}$${typeOf(`T2-v${index}`)}`),
  )
  const listUrns = (typePrefixes: readonly string[], typeSuffix: string, name: string) =>
    typePrefixes.map(typePrefix => typedUrnOf(`${typePrefix}${typeSuffix}`, name))
  const [first, last] = [topTypes[0] ?? '', typeOf('T1-v100')]
  await runDeployments([
    [
      create,
      { type: first, name: 'n1' },
      { type: typeOf('T2-v0'), name: 'n1-sub', parent: typedUrnOf(first, 'n1') },
      {
        type: typeOf('T3'),
        name: 'n1-sub-sub',
        parent: typedUrnOf(`${first}$${typeOf('T2-v0')}`, 'n1-sub'),
      },
    ],
    [
      same,
      { type: last, name: 'n1-new', aliases: listUrns(topTypes, '', 'n1') },
      {
        type: typeOf('T2-v10'),
        name: 'n1-new-sub',
        parent: typedUrnOf(last, 'n1-new'),
        aliases: listUrns(nestedTypes, '', 'n1-sub'),
      },
      {
        type: typeOf('T3'),
        name: 'n1-new-sub-sub',
        parent: typedUrnOf(`${last}$${typeOf('T2-v10')}`, 'n1-new-sub'),
        aliases: listUrns(nestedTypes, `$${typeOf('T3')}`, 'n1-sub-sub'),
      },
    ],
  ])
})
