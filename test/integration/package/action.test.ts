import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const action = resolve(import.meta.dirname, '../../../action')
let folder = ''

/** Creates commands `antichain` and `npm` that write their arguments to the file `calls`. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-action-'))
  mkdirSync(join(folder, 'bin'))
  const record = `printf '%s|' "$(basename "$0")" "$@" >> "${folder}/calls"; echo >> "${folder}/calls"`
  const answer = `case $1 in
    stack) echo '{"url":"https://example.com"}' ;;
    preview)
      trap 'echo stopped; exit 130' TERM
      kill -TERM "$PPID"
      while :; do sleep 0.05; done ;;
    doctor) echo '\`\`\`\`\`\`\`\`\`' ;;
    *) echo '::error::from the program'; exit "\${FAKE_EXIT:-0}" ;;
  esac`
  for (const name of ['antichain', 'npm'])
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${record}\n${answer}\n`, { mode: 0o755 })
})
afterEach(() => rmSync(folder, { recursive: true }))

function runScript(script: string, env: Readonly<Record<string, string>>) {
  const result = spawnSync('bash', [join(action, script)], {
    encoding: 'utf8',
    env: {
      PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      ...env,
    },
  })
  return { status: result.status, out: result.stdout, calls: read('calls') }
}

function read(name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return ''
  }
}

describe('the action', () => {
  test('declares every input and every script that it uses', () => {
    const { inputs, runs } = parse(readFileSync(join(action, 'action.yml'), 'utf8'))
    const scripts = runs.steps.map(
      (step: { run: string }) => /\/([a-z]+\.sh)"$/.exec(step.run)?.[1],
    )
    expect(scripts).toEqual(['install.sh', 'run.sh'])
    const variables = runs.steps.flatMap((step: { env: object }) => Object.values(step.env))
    expect(variables).toEqual(Object.keys(inputs).map(name => `\${{ inputs.${name} }}`))
  })

  test('runs up without questions, and returns outputs and a summary', () => {
    const { status, out, calls } = runScript('run.sh', {
      INPUT_COMMAND: 'up',
      INPUT_STACK: 'dev',
      INPUT_WORK_DIR: 'app',
      INPUT_ARGS: '--message\nA text with $(spaces)\n',
    })
    expect(status).toBe(0)
    expect(calls.split('\n')[0]).toBe(
      'antichain|up|--non-interactive|--cwd|app|--yes|--skip-preview|--stack|dev|--message|A text with $(spaces)|',
    )
    expect(read('output')).toMatch(/^outputs<<(end-\w+)\n\{"url":"https:\/\/example.com"\}\n\1\n$/)
    expect(read('summary')).toContain('### antichain up of `dev`')
    // The output of a program is between markers, so that it is no command of the workflow.
    expect(out).toMatch(/^::stop-commands::(end-\w+)\n::error::from the program\n::\1::\n/)
  })

  test('logs in with a token, with the OIDC token of the job, or to a backend', () => {
    const login = (address: string, token = ''): string | undefined => {
      writeFileSync(join(folder, 'calls'), '')
      const env = { INPUT_COMMAND: 'doctor', INPUT_LOGIN: address, ANTICHAIN_TOKEN: token }
      return runScript('run.sh', env).calls.split('\n')[0]
    }
    expect(login('https://api.example.com', 'act_1')).toBe(
      'antichain|login|https://api.example.com|',
    )
    expect(login('https://api.example.com')).toBe('antichain|login|https://api.example.com|--oidc|')
    expect(login('s3://states')).toBe('antichain|login|s3://states|')
    expect(login('--token')).toBe('')
  })

  test('ends with the exit code of a failed command, and sets no outputs', () => {
    const env = { INPUT_COMMAND: 'up', INPUT_STACK: 'dev', FAKE_EXIT: '7' }
    expect(runScript('run.sh', env).status).toBe(7)
    expect(read('output')).toBe('')
  })

  test('forwards the signal of a cancelled job, and waits for the end of the command', () => {
    const { status, out } = runScript('run.sh', { INPUT_COMMAND: 'preview', INPUT_STACK: 'dev' })
    expect(status).toBe(130)
    expect(out).toContain('stopped')
    expect(read('summary')).toContain('stopped')
  })

  test('encloses the summary in a fence that the log cannot end', () => {
    runScript('run.sh', { INPUT_COMMAND: 'doctor' })
    const fences = read('summary').match(/^`+/gm)
    expect(fences?.map(fence => fence.length)).toEqual([10, 9, 10])
  })

  test('refuses other commands, and a command without a stack', () => {
    const refused = runScript('run.sh', { INPUT_COMMAND: 'login; echo' })
    expect(refused).toMatchObject({ status: 1, calls: '' })
    expect(refused.out).toContain("not 'login??echo'")
    expect(runScript('run.sh', { INPUT_COMMAND: 'preview' }).out).toContain("'stack' is missing")
    expect(runScript('run.sh', { INPUT_COMMAND: 'doctor' }).calls).toContain('antichain|doctor|')
  })

  test('installs the named package, and refuses an option in its place', () => {
    const { status, calls } = runScript('install.sh', { INPUT_PACKAGE: './antichain-0.1.0.tgz' })
    expect(status).toBe(0)
    expect(calls).toContain('--no-fund|./antichain-0.1.0.tgz|\nantichain|--version|')
    expect(runScript('install.sh', { INPUT_PACKAGE: '--registry=x' }).status).toBe(1)
    expect(runScript('install.sh', {}).status).toBe(1)
  })
})
