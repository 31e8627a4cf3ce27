import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Effect, EffectList } from '../../shared/records/effect.ts'
import { effectsOfClients } from '../../shared/records/effects-of-clients.ts'
import {
  orderOfEffects,
  forwardingFiles,
  unlistedCalls,
} from '../../shared/records/order-of-effects.ts'
import { projectFolder } from './sources.ts'

const file = join(projectFolder, 'docs', 'order-of-effects.md')

const head = `# Order of effects

This page is generated from the lists \`shared/records/effects-of-*.ts\`. A test fails when the two differ. Regenerate
it after a change with \`npm test -- test/house/effects-doc.test.ts -u\`.

A process may die between any two lines. The crash suite is generated from the same lists, except for the last two, of
clients of Pulumi. It kills a process before and after each numbered line, resumes the deployment, and compares the
cloud with the state. The full tier kills [after each line](../test/lifecycle/order-of-effects.full.test.ts), and
before the first one. The nightly tier kills [before each other line](../test/lifecycle/order-of-effects.nightly.test.ts).
A line that no scenario reaches fails that suite. A port call that no line names fails
[test/house](../test/house/effects-doc.test.ts). A handler with another order fails
[test/lifecycle](../test/lifecycle/order-of-effects.test.ts). For the last two lists,
[test/pulumi-cli](../test/pulumi-cli/kill.full.test.ts) kills the server and the client.
`

const lists: readonly EffectList[] = [
  ...Object.values(orderOfEffects),
  ...Object.values(effectsOfClients),
]

const orderSentences: Readonly<Record<EffectList['orderedPer'], string>> = {
  process: '',
  executor: ' For each executor, in this order.',
  chain: ' For each chain, in this order; chains run concurrently.',
  delivery: ' For each operation, in this order; operations run concurrently.',
  generatorOperation:
    ' For each operation that the generator ends itself, in this order; operations run concurrently.',
  message: ' For each message, in this order; messages are handled concurrently.',
}

function rowOf(
  { call, sourceFiles, description, afterCrash, condition, loopsBackTo }: Effect,
  index: number,
): string {
  const files = sourceFiles.map(path => `[${path.split('/').at(-1)}](../${path})`).join(', ')
  const when =
    condition === undefined || condition.startsWith('unless ') ? condition : `only ${condition}`
  const effectText = [description, ...(when === undefined ? [] : [when])].join('<br>')
  const loop =
    loopsBackTo === undefined
      ? ''
      : loopsBackTo === index + 1
        ? '; repeated'
        : `; again from ${loopsBackTo}`
  return `| ${index + 1} | \`${call}\` | ${files} | ${effectText}${loop} | ${afterCrash} |`
}

test('docs/order-of-effects.md equals the lists of effects', async () => {
  const sections = lists.map(({ handler, situation, orderedPer, effects }) => {
    const table = [
      '| | Port call | File | Effect | If the process dies after it |',
      '|---|---|---|---|---|',
    ]
    const orderText =
      orderSentences[orderedPer] === '' ? '' : `\n${orderSentences[orderedPer].trim()}\n`
    return `\n## ${handler}: ${situation}\n${orderText}\n${[...table, ...effects.map(rowOf)].join('\n')}\n`
  })
  const rows = unlistedCalls.map(
    ({ calls, reason }) => `- ${calls.map(call => `\`${call}\``).join(', ')}: ${reason}.`,
  )
  const others = `
## Effects that are not listed

${rows.join('\n')}
- Check, Diff, Read, Invoke, Construct and Configure of a provider: they change nothing durable.
- Starts and ends of programs and plugins: these die with the process that started them, and
  [the next process ends the remaining ones](reliability.md).
`
  const wrapperLinks = forwardingFiles.map(path => `[${path.split('/').at(-1)}](../${path})`)
  const wrapperLine = `- Calls by the wrappers ${wrapperLinks.join(', ')}, which repeat calls or change their messages: the table names the files that call these wrappers.\n`
  await expect(head + sections.join('') + others + wrapperLine).toMatchFileSnapshot(file)
})

/** Returns every method of a record port, as `port.method` with the port's name on platforms. */
function listPortMethods(): ReadonlySet<string> {
  const platformNames: Readonly<Record<string, string>> = {
    DecisionLog: 'decisionLog',
    ChainQueue: 'chains',
    BlobSweep: 'blobSweep',
  }
  const calls = new Set<string>()
  for (const name of ['records', 'catalog', 'queue', 'retention']) {
    const text = readFileSync(join(projectFolder, 'shared', 'ports', `${name}.ts`), 'utf8')
    for (const [, port = '', body = ''] of text.matchAll(
      /export interface (\w+)Port \{\n(.*?)\n\}/gs,
    ))
      for (const [, method] of body.matchAll(/^ {2}readonly (\w+): \(/gm))
        calls.add(`${platformNames[port] ?? port.toLowerCase()}.${method}`)
  }
  return calls
}

const listedEffects = lists.flatMap(({ effects }) => effects)
const appendOfKind = /^(decisionLog\.append) .*$/

test('every method of a port is listed, or omitted for a reason', () => {
  const listed = new Set(listedEffects.map(({ call }) => call.replace(appendOfKind, '$1')))
  const documentedCalls = new Set([...listed, ...unlistedCalls.flatMap(({ calls }) => calls)])
  documentedCalls.delete('provider call')
  expect([...listPortMethods()].filter(call => !documentedCalls.has(call))).toEqual([])
  expect([...documentedCalls].filter(call => !listPortMethods().has(call))).toEqual([])
  expect(unlistedCalls.flatMap(({ calls }) => calls).filter(call => listed.has(call))).toEqual([])
})

/** Returns the text of each file that may call a port for an effect, by path. */
function readSources(): ReadonlyMap<string, string> {
  const sharedFolders = ['engine', 'runtime', 'api', 'pulumi-service'].map(name => `shared/${name}`)
  const paths = [...sharedFolders, 'functions', 'local', 'cli'].flatMap(folder =>
    globSync(`${folder}/**/*.ts`, { cwd: projectFolder }),
  )
  const sourcePaths = paths.filter(
    path => !/\.(test|fixture)\.ts$/.test(path) && !forwardingFiles.includes(path),
  )
  return new Map(sourcePaths.map(path => [path, readFileSync(join(projectFolder, path), 'utf8')]))
}

test('the lists name exactly the files that call a port for an effect', () => {
  const methods = listPortMethods()
  const omittedCalls = new Set(unlistedCalls.flatMap(({ calls }) => calls))
  const callSites = new Set<string>()
  for (const [path, text] of readSources())
    for (const [, call = ''] of text.matchAll(/\b((?:\w+)\.(?:\w+))\(/g))
      if (methods.has(call) && !omittedCalls.has(call) && call !== 'decisionLog.append')
        callSites.add(`${call} by ${path}`)
  const listed = listedEffects
    .filter(({ call }) => methods.has(call))
    .flatMap(({ call, sourceFiles }) => sourceFiles.map(path => `${call} by ${path}`))
  expect([...callSites].sort()).toEqual([...new Set(listed)].sort())
})

test('the lists name the files that decide log records, and every kind of record', () => {
  const decisionKind = /(?:\bkind: '(?=[a-z-]+')([a-z-]+)'(?:, phase: '([a-z-]+)')?)/g
  const rows = listedEffects.filter(({ call }) => call.startsWith('decisionLog.append '))
  const kinds = new Set(rows.map(({ call }) => call.slice('decisionLog.append '.length)))
  const wrong: string[] = []
  for (const { call, sourceFiles } of rows)
    for (const path of sourceFiles) {
      const text = readSources().get(path) ?? ''
      const all = [...text.matchAll(decisionKind)].map(([, kind, phase]) =>
        phase === undefined ? kind : `${kind} ${phase}`,
      )
      if (!all.includes(call.slice('decisionLog.append '.length))) wrong.push(`${call} by ${path}`)
    }
  expect(wrong).toEqual([])
  const records = ['log.ts', 'client-decision.ts']
    .map(name => readFileSync(join(projectFolder, 'shared', 'records', name), 'utf8'))
    .join('\n')
  const unions = [...records.matchAll(/export type (?:Client)?Decision =\n(.*?)\n(?:\n|$)/gs)]
  const union = unions.map(([, text]) => text).join('\n')
  const [, phases = ''] = /export type Phase = (.*)/.exec(records) ?? []
  const all = [
    ...[...union.matchAll(/readonly kind: '([a-z-]+)'/g)].map(([, kind = '']) => kind),
    ...[...phases.matchAll(/'([a-z-]+)'/g)].map(([, phase]) => `phase ${phase}`),
  ].filter(kind => kind !== 'phase')
  expect(all.filter(kind => !kinds.has(kind))).toEqual([])
  expect([...kinds].filter(kind => !all.includes(kind))).toEqual([])
})
