import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/arguments/run-command-line.ts'
import type { Io } from '../../../cli/session/io.ts'
import { createLazyTools } from '../../../cli/session/lazy-tools.ts'

// A server that answers every request with `reply`, and a home folder for logins.
const home = mkdtempSync(join(tmpdir(), 'login-'))
const identity = { name: 'ci', role: 'deploy', stacks: '*' }
let reply: unknown = identity
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(reply))
})
let url = ''

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  url = `http://127.0.0.1:${address.port}`
})
beforeEach(() => {
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home)
  reply = identity
})
afterAll(() => {
  server.close()
  rmSync(home, { recursive: true, force: true })
})

async function run(variables: Readonly<Record<string, string>>, ...args: readonly string[]) {
  let err = ''
  const io: Io = {
    stdout: { write: () => undefined },
    stderr: { write: text => (err += text) },
    env: { ANTICHAIN_HOME: home, ...variables },
    cwd: home,
    isTerminal: false,
    prompt: async () => '',
    promptHidden: async () => '',
    readInput: async () => '',
    onInterrupt: () => () => {},
  }
  const exit = await runCommandLine(args, io, createLazyTools())
  return { exit, err }
}

test('login saves a token without the newline at its end', async () => {
  const logins = [
    await run({}, 'login', url, '--token', 'act_a\n'),
    await run({ ANTICHAIN_TOKEN: 'act_a\r\n' }, 'login', url),
  ]
  for (const { exit, err } of logins)
    expect([exit, err]).toEqual([0, `Logged in to ${url} as 'ci' (role deploy).\n`])
  expect(JSON.parse(readFileSync(join(home, 'login.json'), 'utf8'))).toEqual({
    url,
    token: 'act_a',
  })
  const { err } = await run({ ANTICHAIN_TOKEN: '\n' }, 'login', url)
  expect(err).toContain('error[API_TOKEN_MISSING]')
})

test.each([
  [['--token', 'act_a'], {}],
  [['--oidc'], { ANTICHAIN_OIDC_TOKEN: 'jwt' }],
])('login %j refuses a server that is no API, and saves nothing', async (options, variables) => {
  reply = { message: 'welcome' }
  const { exit, err } = await run(variables, 'login', url, ...options)
  expect([exit, err]).toEqual([1, expect.stringContaining('error[API_ANSWER_UNKNOWN]')])
  expect(readdirSync(home)).toEqual([])
})

test.each([
  ['backend.json', 'a backend'],
  ['login.json', 'an API'],
])('logout removes an invalid %s, and reports a logout of %s', async (file, login) => {
  writeFileSync(join(home, file), '{')
  expect(await run({}, 'logout')).toEqual({ exit: 0, err: `Logged out of ${login}.\n` })
  expect(readdirSync(home)).toEqual([])
  expect((await run({}, 'logout')).err).toBe('Not logged in.\n')
})
