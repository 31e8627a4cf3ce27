import { afterEach, describe, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { createEngines, deleteFirst } from '../things.ts'
import { type Described, kindsOf, registering, type Said, urnOf, urnsOf } from './registered.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** What a deployment registers, and the kinds of steps that come of it. */
type Turn = readonly [readonly string[], ...Described[]]

async function follow(turns: readonly Turn[]): Promise<readonly string[]> {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  for (const [number, [kinds, ...all]] of turns.entries()) {
    const ran = await engine.run(registering(...all))
    expect([number, ran.result.result, kindsOf(ran)]).toEqual([number, 'succeeded', kinds])
    const now = all.map(({ type, name, parent }) => urnOf(typesBelow(parent, type), name))
    expect(urnsOf(ran).toSorted()).toEqual(now.toSorted())
  }
  return cloud.log
}

function typesBelow(parent: string | undefined, type: string): string {
  return parent === undefined ? type : `${parent.split('::')[2]}$${type}`
}

const create = ['create']
const same = ['same']
const update = ['update']
const replace = ['create-replacement', 'delete-replaced', 'replace']

/** Aliases as parts of a URN, and the same as whole URNs. */
type Form = (was: { type?: string; name?: string; parent?: string; noParent?: boolean }) => Said
const parts: Form = was => was
const whole =
  (now: Described): Form =>
  was => {
    const parent = was.noParent === true ? undefined : (was.parent ?? now.parent)
    return urnOf(typesBelow(parent, was.type ?? now.type), was.name ?? now.name)
  }
const forms = [
  ['TestAliases: parts', () => parts],
  ['TestAliasURNs: URNs', whole],
] as const

const t = (kind: string): string => `test:index:${kind}`

describe.each(forms)('%s', (_title, formOf) => {
  const was = (now: Described, ...aliases: readonly Parameters<Form>[0][]): Described => ({
    ...now,
    aliases: aliases.map(formOf(now)),
  })

  test('names and types follow, with changes and replacements', async () => {
    const turns: readonly Turn[] = [
      [create, { type: t('T1'), name: 'n1' }],
      [same, was({ type: t('T1'), name: 'n2' }, { name: 'n1' })],
      [same, was({ type: t('T1'), name: 'n3' }, { name: 'n2' }, { name: 'n1' })],
      [same, was({ type: t('T1'), name: 'n3' }, { name: 'n1' }, { name: 'n2' })],
      [same, was({ type: t('T1'), name: 'n1' }, { name: 'n3' }, { name: 'n2' }, { name: 'n1' })],
      [same, { type: t('T1'), name: 'n1' }],
      [same, was({ type: t('T2'), name: 'n1' }, { type: t('T1') })],
      [same, was({ type: t('T3'), name: 'n1' }, { type: t('T1') }, { type: t('T2') })],
      [same, was({ type: t('T3'), name: 'n1' }, { type: t('T3') }, { type: t('T2') })],
      [same, { type: t('T3'), name: 'n1' }],
      [update, was({ type: t('T4'), name: 'n2', object: { x: 4 } }, { type: t('T3'), name: 'n1' })],
      [update, was({ type: t('T5'), name: 'n3', object: { x: 5 } }, { type: t('T4'), name: 'n2' })],
      [
        replace,
        was({ type: t('T6'), name: 'n4', object: { replace: 6 } }, { type: t('T5'), name: 'n3' }),
      ],
      [
        replace,
        was(
          { type: t('T7'), name: 'n5', object: { replace: 7 }, more: deleteFirst },
          { type: t('T6'), name: 'n4' },
        ),
      ],
    ]
    const calls = await follow(turns)
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

  test('what depends on a renamed resource that is deleted first stays', async () => {
    const dependsOn = (type: string, name: string) => ({ dependencies: [urnOf(t(type), name)] })
    const calls = await follow([
      [
        create,
        { type: t('T1'), name: 'n1', object: { replace: 1 }, more: deleteFirst },
        { type: t('T2'), name: 'n2', more: dependsOn('T1', 'n1') },
      ],
      [
        [...replace, 'same'],
        was(
          { type: t('New'), name: 'n1-new', object: { replace: 2 }, more: deleteFirst },
          { type: t('T1'), name: 'n1' },
        ),
        was(
          { type: t('T2-new'), name: 'n2-new', more: dependsOn('New', 'n1-new') },
          { type: t('T2'), name: 'n2' },
        ),
      ],
    ])
    expect(calls.slice(2)).toEqual(['delete n1-1', 'create n1-new'])
  })

  test('children follow parents', async () => {
    await follow([
      [create, { type: t('T1'), name: 'one' }, { type: t('T2'), name: 'two' }],
      [
        same,
        { type: t('T1'), name: 'one' },
        was({ type: t('T2'), name: 'two', parent: urnOf(t('T1'), 'one') }, { noParent: true }),
      ],
      [
        same,
        { type: t('T1'), name: 'one' },
        was({ type: t('T2'), name: 'two' }, { parent: urnOf(t('T1'), 'one') }),
      ],
    ])
    const child = { type: t('T1'), name: 'sub', parent: urnOf(t('T1'), 'parent') }
    const below = urnOf(`${t('T1')}$${t('T1')}`, 'sub')
    const top = { type: t('T1'), name: 'parent' }
    await follow([
      [create, top, child, { type: t('T1'), name: 'sub-sub', parent: below }],
      [same, top, child, was({ type: t('T1'), name: 'new', parent: below }, { name: 'sub-sub' })],
      [same, top, child, was({ type: t('T3'), name: 'new', parent: below }, { type: t('T1') })],
    ])
  })

  test('two resources cannot have been one', async () => {
    const engine = await engines.of(createCloud())
    await engine.run(registering({ type: t('T1'), name: 'n1' }))
    const ran = await engine.run(
      registering(
        was({ type: t('T1'), name: 'n2' }, { name: 'n1' }),
        was({ type: t('T2'), name: 'n3' }, { type: t('T1'), name: 'n1' }),
      ),
    )
    expect(ran.result.result).toBe('failed')
    expect(urnsOf(ran)).toEqual([urnOf(t('T1'), 'n2')])
  })
})

test('TestAliases: a chain of children is found by the old names of all above it', async () => {
  const nested = (kind: string, top: string): readonly Described[] => [
    { type: t(kind), name: top },
    { type: t('T2'), name: `${top}-sub`, parent: urnOf(t(kind), top) },
    { type: t('T3'), name: `${top}-sub-sub`, parent: urnOf(`${t(kind)}$${t('T2')}`, `${top}-sub`) },
  ]
  const [top, ...below] = nested('New', 'n1-new')
  if (top === undefined) throw new Error('there is one')
  const renamed = { ...top, aliases: [{ type: t('T1'), name: 'n1' }] }
  await follow([
    [create, ...nested('T1', 'n1')],
    // Names that begin with the parent's follow by themselves.
    [same, renamed, ...below],
  ])
})

test('TestAliases: a thousand aliases are as good as one', async () => {
  const kinds = Array.from({ length: 100 }, (_, index) => t(`T1-v${index}`))
  const pairs = kinds.flatMap(kind =>
    Array.from({ length: 10 }, (_, index) => `${kind}$${t(`T2-v${index}`)}`),
  )
  const names = (parents: readonly string[], type: string, name: string) =>
    parents.map(parent => urnOf(`${parent}${type}`, name))
  const [first, last] = [kinds[0] ?? '', t('T1-v100')]
  await follow([
    [
      create,
      { type: first, name: 'n1' },
      { type: t('T2-v0'), name: 'n1-sub', parent: urnOf(first, 'n1') },
      { type: t('T3'), name: 'n1-sub-sub', parent: urnOf(`${first}$${t('T2-v0')}`, 'n1-sub') },
    ],
    [
      same,
      { type: last, name: 'n1-new', aliases: names(kinds, '', 'n1') },
      {
        type: t('T2-v10'),
        name: 'n1-new-sub',
        parent: urnOf(last, 'n1-new'),
        aliases: names(pairs, '', 'n1-sub'),
      },
      {
        type: t('T3'),
        name: 'n1-new-sub-sub',
        parent: urnOf(`${last}$${t('T2-v10')}`, 'n1-new-sub'),
        aliases: names(pairs, `$${t('T3')}`, 'n1-sub-sub'),
      },
    ],
  ])
})
