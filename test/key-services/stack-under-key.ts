import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findFilesWith } from '../e2e/find-files-with.ts'
import { type CommandOutput, createSandbox, requireSuccess, type Sandbox } from '../e2e/sandbox.ts'
import { verifyExport } from '../verifier/verify.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** A key service with the keys of a test. The functions are called when a test runs. */
export interface KeyServiceCase {
  readonly url: string
  /** The URL of another key of the service. */
  readonly otherUrl: string
  readonly absentUrl: string
  readonly malformedUrl: string
  readonly env: () => Variables
  /** The variables of a user without valid credentials. */
  readonly envWithoutLogin: Variables
  readonly envWithoutNetwork: Variables
  /** Revokes the permission to use the keys. Returns the variables of a user without it. */
  readonly deny: () => Variables
  readonly allow: () => void
  /** The bodies of all requests to the service so far. */
  readonly listBodies: () => readonly string[]
}

const password = 'hunter-two-and-a-half'

/** Registers the tests of a stack under a key. */
export function testStackUnderKey(service: KeyServiceCase): void {
  const { url, otherUrl, absentUrl, malformedUrl } = service
  let sandbox: Sandbox
  afterEach(() => sandbox?.remove())
  const run = (command: string, env: Variables = {}): Promise<CommandOutput> =>
    sandbox.run(command.split(' '), {
      env: { PULUMI_CONFIG_PASSPHRASE: undefined, ...service.env(), ...env },
    })
  const filePath = (): string => join(sandbox.program, 'Pulumi.dev.yaml')
  const readStackFile = (): string => readFileSync(filePath(), 'utf8')
  const changeCommand = 'stack change-secrets-provider'

  test('is deployed, opened by later commands, and no plaintext is stored', {
    timeout: 400_000,
  }, async () => {
    sandbox = createSandbox('shop')
    requireSuccess(await run(`stack init dev --secrets-provider ${url}`))
    requireSuccess(await run(`config set --secret password ${password}`))
    expect(readStackFile()).toContain(`secretsprovider: ${url}\nencryptedkey: `)
    requireSuccess(await run('up --yes'))
    const expectSealed = async (keyUrl: string): Promise<void> => {
      const exported = requireSuccess(await run('stack export')).out
      expect(verifyExport(exported, { sealed: true })).toEqual([])
      expect(JSON.parse(exported)).toMatchObject({
        deployment: { secrets_providers: { type: 'cloud', state: { url: keyUrl } } },
      })
      expect(exported + readStackFile()).not.toContain(password)
      expect(findFilesWith(sandbox.home, password)).toEqual([])
      expect(service.listBodies().filter(body => body.includes(password))).toEqual([])
      const outputs = requireSuccess(await run('stack output --json --show-secrets')).out
      expect(JSON.parse(outputs)).toMatchObject({ password })
      expect(requireSuccess(await run('up --yes --skip-preview')).out).toMatch(/unchanged/)
    }
    await expectSealed(url)
    requireSuccess(await run(`${changeCommand} ${otherUrl}`))
    await expectSealed(otherUrl)
    requireSuccess(await run('destroy --yes --skip-preview'))
  })

  test('is unchanged, and commands are refused with a code, for a wrong key, URL, login or permission', {
    timeout: 400_000,
  }, async () => {
    sandbox = createSandbox('shop')
    requireSuccess(await run(`stack init dev --secrets-provider ${url}`))
    requireSuccess(await run(`config set --secret password ${password}`))
    const file = readStackFile()
    const expectRefused = async (command: string, code: string, env?: Variables): Promise<void> => {
      const { exit, err } = await run(command, env)
      expect([command, exit === 0, err]).toEqual([command, false, expect.stringContaining(code)])
      expect(err).not.toContain('    at ')
      expect(readStackFile()).toBe(file)
    }
    await expectRefused(`${changeCommand} ${malformedUrl}`, 'SECRETS_URL_INVALID')
    await expectRefused(`${changeCommand} ${absentUrl}`, 'SECRETS_KEY_MISSING')
    for (const command of ['config get password', `${changeCommand} ${otherUrl}`])
      await expectRefused(command, 'SECRETS_CREDENTIALS_MISSING', service.envWithoutLogin)
    const denied = service.deny()
    for (const command of ['config get password', `${changeCommand} ${otherUrl}`])
      await expectRefused(command, 'SECRETS_KEY_DENIED', denied)
    service.allow()
    // A login over the network may fail before the key service is called.
    const offline = await run('config get password', service.envWithoutNetwork)
    expect([offline.exit === 0, offline.err]).toEqual([
      false,
      expect.stringMatching(/SECRETS_(SERVICE_UNAVAILABLE|CREDENTIALS_MISSING)/),
    ])
    // The data key does not open with another key, nor after a change of its bytes.
    for (const damaged of [
      file.replace(url, otherUrl),
      file.replace(/(encryptedkey: .{60})./, (text, unchanged: string) =>
        text.endsWith('A') ? `${unchanged}B` : `${unchanged}A`,
      ),
    ]) {
      writeFileSync(filePath(), damaged)
      expect((await run('config get password')).err).toContain('SECRETS_MALFORMED')
      expect(readStackFile()).toBe(damaged)
    }
    writeFileSync(filePath(), file)
    expect(requireSuccess(await run('config get password')).out.trim()).toBe(password)
  })
}
