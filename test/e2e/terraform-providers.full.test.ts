import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildPublishedProviders } from '../providers/terraform/build-providers.ts'
import { verifyExport } from '../verifier/verify.ts'
import { initDevStack } from './exported-state.ts'
import { findFilesWith } from './find-files-with.ts'
import { type CommandOutput, createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

/** The time limit of a build, which may have to download and compile Go modules. */
const buildMs = 900_000
const testMs = 300_000

let sandbox: Sandbox
let env: Record<string, string>

/** Opens a sandbox with the program of a provider. */
function openSandbox(provider: string, folder: string): void {
  sandbox = createSandbox('terraform-providers')
  env = { PROVIDER: provider, TERRAFORM_PROVIDERS: folder, STEP: '1' }
}

const run = (args: readonly string[]): Promise<CommandOutput> => sandbox.run(args, { env })

/** An engine event. Only the event of a completed step has the field. */
interface EngineEvent {
  readonly resOutputsEvent?: {
    readonly metadata: { readonly urn: string; readonly type: string; readonly op: string }
  }
}

/** Runs a command without prompts. Returns the operations of each resource, in order. */
async function deploy(...args: readonly string[]): Promise<Readonly<Record<string, string[]>>> {
  const { out } = requireSuccess(
    await run([...args, '--yes', '--skip-preview', '--json', '-s', 'dev']),
  )
  const operations: Record<string, string[]> = {}
  for (const line of out.split('\n').filter(text => text.startsWith('{'))) {
    const { metadata } = (JSON.parse(line) as EngineEvent).resOutputsEvent ?? {}
    if (metadata === undefined || metadata.op === 'same' || metadata.type.startsWith('pulumi:'))
      continue
    const name = metadata.urn.slice(metadata.urn.lastIndexOf('::') + 2)
    ;(operations[name] ??= []).push(metadata.op)
  }
  return operations
}

async function readOutputs(): Promise<Readonly<Record<string, unknown>>> {
  const { out } = requireSuccess(await run(['stack', 'output', '--json', '-s', 'dev']))
  return JSON.parse(out) as Record<string, unknown>
}

/** Destroys the stack, and checks that neither resources nor processes remain. */
async function destroyStack(): Promise<void> {
  requireSuccess(await run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  const text = await sandbox.exportState()
  expect(verifyExport(text)).toEqual([])
  expect(JSON.parse(text)).not.toHaveProperty('deployment.resources')
  expect(sandbox.listProcesses()).toEqual([])
}

/** The steps of a replacement that creates the new object before it deletes the old one. */
const createBeforeDelete = ['create-replacement', 'replace', 'delete-replaced']

describeWithCommands('published Terraform providers', [['go', 'version']], () => {
  describe('of the plugin framework, protocol 5', () => {
    let folder: string
    beforeAll(() => {
      folder = buildPublishedProviders('framework')
    }, buildMs)
    beforeEach(async () => {
      openSandbox('time', folder)
      await initDevStack(sandbox)
    })
    afterEach(() => sandbox.remove())

    test(
      'time: creates, replaces, updates, imports, refreshes and destroys, and calls a function',
      async () => {
        const preview = requireSuccess(await run(['preview', '-s', 'dev']))
        expect(preview.out).toContain('unix: 1581489373')
        expect(preview.out).toContain('rotation: known after the update')
        expect(await deploy('up')).toEqual({
          start: ['create'],
          week: ['create'],
          month: ['create'],
        })
        expect(await readOutputs()).toMatchObject({
          unix: 1_581_489_373,
          week: '2020-02-19T06:36:13Z',
          rotation: '2520-02-12T06:36:13Z',
          duration: { hours: 1.5, minutes: 90 },
        })
        expect(await deploy('up', '--expect-no-changes')).toEqual({})
        env['STEP'] = '2'
        expect(await deploy('up')).toEqual({ start: createBeforeDelete, week: ['update'] })
        expect(await readOutputs()).toMatchObject({ year: 2021, week: '2021-02-11T04:05:06Z' })
        const id = '2020-02-12T06:36:13Z,0,0,7,0,0,0'
        await deploy('import', '--no-protect', 'time:index/offset:Offset', 'found', id)
        const text = await sandbox.exportState()
        expect(verifyExport(text, { sealed: true })).toEqual([])
        expect(text).toContain('"offsetDays": 7')
        expect(await deploy('refresh', '--expect-no-changes')).toEqual({})
        await destroyStack()
      },
      testMs,
    )
  })

  describe('of the first SDK, protocol 5 with the legacy type system', () => {
    let folder: string
    beforeAll(() => {
      folder = buildPublishedProviders('sdk')
    }, buildMs)
    afterEach(() => sandbox.remove())

    async function openStack(provider: string): Promise<void> {
      openSandbox(provider, folder)
      await initDevStack(sandbox)
    }

    test(
      'null: a changed trigger replaces the resource and its dependents',
      async () => {
        await openStack('null')
        expect(await deploy('up')).toEqual({ first: ['create'], second: ['create'] })
        expect(await readOutputs()).toEqual({ echo: { greeting: 'hello' }, defaulted: 'default' })
        expect(await deploy('up', '--expect-no-changes')).toEqual({})
        env['STEP'] = '2'
        expect(await deploy('up')).toEqual({
          first: createBeforeDelete,
          second: createBeforeDelete,
        })
        expect(await deploy('refresh', '--expect-no-changes')).toEqual({})
        await destroyStack()
      },
      testMs,
    )

    test(
      'local: files are written, replaced, lost, written again and deleted',
      async () => {
        await openStack('local')
        const letter = join(sandbox.cloud, 'letters', 'letter.txt')
        const key = join(sandbox.cloud, 'letters', 'key.txt')
        await deploy('up')
        expect(readFileSync(letter, 'utf8')).toBe('The ferry leaves at eight.')
        expect(readFileSync(key, 'utf8')).toBe('swordfish-7f3a')
        expect(await readOutputs()).toEqual({ content: 'The ferry leaves at eight.' })
        env['STEP'] = '2'
        expect(await deploy('up')).toEqual({
          letter: ['delete-replaced', 'replace', 'create-replacement'],
        })
        expect(readFileSync(letter, 'utf8')).toBe('The ferry leaves at nine.')
        writeFileSync(letter, 'The ferry is late.')
        expect(await deploy('refresh')).toEqual({ letter: ['delete'] })
        expect(await deploy('up')).toEqual({ letter: ['create'] })
        expect(readFileSync(letter, 'utf8')).toBe('The ferry leaves at nine.')
        expect(verifyExport(await sandbox.exportState(), { sealed: true })).toEqual([])
        expect(findFilesWith(sandbox.home, 'swordfish-7f3a')).toEqual([])
        await destroyStack()
        expect([letter, key].filter(existsSync)).toEqual([])
      },
      testMs,
    )

    test(
      'tls: a new key replaces its certificate, and no record has the private key',
      async () => {
        await openStack('tls')
        expect(await deploy('up')).toEqual({ key: ['create'], certificate: ['create'] })
        const first = await readOutputs()
        expect(first['certificate']).toMatch(/^-----BEGIN CERTIFICATE-----/)
        expect(first['publicKey']).toMatch(/^-----BEGIN PUBLIC KEY-----/)
        expect(await deploy('up', '--expect-no-changes')).toEqual({})
        env['STEP'] = '2'
        expect(await deploy('up')).toEqual({
          key: createBeforeDelete,
          certificate: createBeforeDelete,
        })
        expect((await readOutputs())['publicKey']).not.toBe(first['publicKey'])
        expect(verifyExport(await sandbox.exportState(), { sealed: true })).toEqual([])
        expect(findFilesWith(sandbox.home, 'EC PRIVATE KEY')).toEqual([])
        expect(await deploy('refresh', '--expect-no-changes')).toEqual({})
        await destroyStack()
      },
      testMs,
    )

    test(
      'random: values stay until their keepers change, and an existing one is imported',
      async () => {
        await openStack('random')
        await deploy('up')
        const first = await readOutputs()
        expect(first['pet']).toMatch(/^my-[a-z]+-[a-z]+$/)
        expect(first['text']).toMatch(/^[A-Za-z\d]{20}$/)
        expect(await deploy('up', '--expect-no-changes')).toEqual({})
        env['STEP'] = '2'
        expect(await deploy('up')).toEqual({
          pet: createBeforeDelete,
          text: createBeforeDelete,
          die: ['import'],
        })
        const second = await readOutputs()
        expect(second['pet']).toMatch(/^my-[a-z]+-[a-z]+-[a-z]+$/)
        expect(second['text']).not.toBe(first['text'])
        expect(second['order']).toEqual(first['order'])
        expect(second['die']).toBe(7)
        expect(await deploy('refresh', '--expect-no-changes')).toEqual({})
        await destroyStack()
      },
      testMs,
    )

    describe('http', () => {
      let server: Server
      let status: number
      beforeEach(async () => {
        status = 200
        server = createServer((request, response) => {
          response.writeHead(status, { 'Content-Type': 'text/plain' })
          response.end(`step ${String(request.headers['x-step'])}`)
        })
        await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
        await openStack('http')
        env['PAGE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      })
      afterEach(() => void server.close())

      test(
        'a data source is read in every run, and its failure ends the program',
        async () => {
          await deploy('up')
          expect(await readOutputs()).toEqual({ body: 'step 1', type: 'text/plain' })
          env['STEP'] = '2'
          await deploy('up')
          expect(await readOutputs()).toEqual({ body: 'step 2', type: 'text/plain' })
          status = 500
          const failed = await run(['up', '--yes', '--skip-preview', '-s', 'dev'])
          expect(failed.exit).not.toBe(0)
          expect(failed.err).toContain('HTTP request error. Response code: 500')
          status = 200
          await destroyStack()
        },
        testMs,
      )
    })
  })
})
