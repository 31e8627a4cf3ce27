import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from '../backends/command-bench.ts'

const stackState = {
  urn: 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev',
  custom: false,
  type: 'pulumi:pulumi:Stack',
  outputs: { b: 'one  two', a: [1, { c: null }] },
}

let bench: CommandBench
beforeEach(async () => {
  bench = createCommandBench()
  await run('stack', 'init', 'dev')
  const file = join(bench.root, 'state.json')
  writeFileSync(file, JSON.stringify({ version: 3, deployment: { resources: [stackState] } }))
  await run('stack', 'import', '-s', 'dev', '--file', file)
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

async function run(...args: string[]): Promise<string> {
  const { exit, out, err } = await bench.run(...args)
  if (exit !== 0) throw new Error(`${args.join(' ')}: ${err}`)
  return out
}

const edit = (editor: string) => bench.run('state', 'edit', '-s', 'dev', '-y', '--editor', editor)
const countVersions = async (): Promise<number> => {
  const history = JSON.parse(await run('stack', 'history', '-s', 'dev', '--json')) as unknown[]
  return history.length
}

test.each([
  ['changes only line endings', `sed -i 's/$/\\r/'`],
  ['changes only indents', `sed -i 's/^ *//'`],
  ['adds only white space at the end', `sed -i '$a \\ '`],
  ['changes nothing', 'true'],
])('an editor that %s creates no version', async (_, editor) => {
  const before = await countVersions()
  const { exit, err } = await edit(editor)
  expect([exit, err]).toEqual([0, expect.stringContaining('The state is unchanged.')])
  expect(await countVersions()).toBe(before)
})

test('a change of white space within a string value creates a version', async () => {
  const before = await countVersions()
  expect((await edit(`sed -i 's/one  two/one two/'`)).err).toContain('State edited.')
  expect(await countVersions()).toBe(before + 1)
})

test('a file that is no JSON is refused with a hint about the file', async () => {
  const before = await countVersions()
  const { exit, err } = await edit(`sed -i '1s/{/{,/'`)
  expect([exit, err]).toEqual([1, expect.stringContaining('error[STATE_INVALID]')])
  expect(err).toContain('Correct the file')
  expect(await countVersions()).toBe(before)
})
