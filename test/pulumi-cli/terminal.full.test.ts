/** Pulumi's command line in a terminal, as people use it: it asks before it changes something. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseExport } from '../e2e/exported-state.ts'
import { requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

const timeoutMs = 600_000

/** The keys that a person types after a question. */
interface Answer {
  readonly question: string
  readonly answer: string
  readonly env?: Readonly<Record<string, string>>
}

const terminalCommands = [
  ['go', 'version'],
  ['script', '--version'],
] as const

describeWithCommands("Pulumi's command line in a terminal", terminalCommands, () => {
  let cli = ''
  let client: StockClient
  beforeAll(async () => {
    cli = buildPulumiCli(cliVersions[0])
    client = await openStockClient(cli)
    requireSuccess(await client.pulumi(['stack', 'init', 'dev']))
  }, timeoutMs)
  afterAll(() => client?.remove())

  /** Runs a command in a terminal. A person types `answer` when the output has `question`. */
  const runInTerminal = async (
    command: string,
    { question, answer, env = {} }: Answer,
  ): Promise<{ readonly exit: number | null; readonly output: string }> => {
    const { sandbox, variables } = client
    const terminal = spawn('script', ['-qec', `'${cli}' ${command}`, '/dev/null'], {
      cwd: sandbox.program,
      env: sandbox.createEnvironment({ ...variables, TERM: 'xterm', ...env }),
      timeout: 120_000,
    })
    let output = ''
    let typing: NodeJS.Timeout | undefined
    terminal.stdout.on('data', (data: Buffer) => {
      output += data.toString()
      // A key that arrives before the prompt reads keys is lost, so the answer is repeated.
      if (output.includes(question))
        typing ??= setInterval(() => terminal.stdin.write(answer), 1000)
    })
    terminal.stdin.on('error', () => clearInterval(typing))
    const [exit] = (await once(terminal, 'close')) as [number | null]
    clearInterval(typing)
    return { exit, output }
  }
  const exportState = async () =>
    parseExport(requireSuccess(await client.pulumi(['stack', 'export', '-s', 'dev'])).out)

  test(
    'shows a preview, and changes nothing until a person accepts it',
    async () => {
      const question = 'Do you want to perform this update?'
      const refused = await runInTerminal('up -s dev', { question, answer: 'no\r' })
      expect(refused.exit).not.toBe(0)
      expect(refused.output).toContain('gold:index:Thing')
      expect(client.sandbox.listObjects()).toEqual([])
      const accepted = await runInTerminal('up -s dev', { question, answer: 'yes\r' })
      expect(accepted.exit).toBe(0)
      expect(client.sandbox.listObjects()).toHaveLength(1)
    },
    timeoutMs,
  )

  test(
    '`state edit` stores the edited state, and keeps the state when a person cancels',
    async () => {
      const editor = join(client.sandbox.home, '../editor.sh')
      writeFileSync(editor, '#!/bin/sh\nsed -i \'s/"value": 1/"value": 7/\' "$1"\n')
      chmodSync(editor, 0o755)
      const valueOf = async () =>
        (await exportState()).resources.find(({ name }) => name === 'thing')?.inputs['value']
      const question = 'Do you want to perform this edit?'
      const edit = (answer: string) =>
        runInTerminal('state edit --stack dev', { question, answer, env: { EDITOR: editor } })
      expect((await edit('cancel\r')).exit).not.toBe(0)
      expect(await valueOf()).toBe(1)
      expect((await edit('accept\r')).exit).toBe(0)
      expect(await valueOf()).toBe(7)
    },
    timeoutMs,
  )

  test(
    '`stack rm` removes a stack whose name a person typed',
    async () => {
      const question = 'Do you want to perform this destroy?'
      await runInTerminal('destroy -s dev', { question, answer: 'yes\r' })
      expect(client.sandbox.listObjects()).toEqual([])
      const remove = (answer: string) =>
        runInTerminal('stack rm dev', { question: 'Please confirm that this is what', answer })
      expect((await remove('other\r')).exit).not.toBe(0)
      expect(requireSuccess(await client.pulumi(['stack', 'ls', '-j'])).out).toContain('dev')
      expect((await remove('dev\r')).exit).toBe(0)
      expect(JSON.parse(requireSuccess(await client.pulumi(['stack', 'ls', '-j'])).out)).toEqual([])
    },
    timeoutMs,
  )
})
