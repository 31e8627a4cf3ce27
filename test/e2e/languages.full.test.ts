import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, requireSuccess } from './place.ts'
import { virtualEnvironment, whenInstalled } from './toolchains.ts'

const secret = 'swordfish-7f3a'
const fixtures = join(import.meta.dirname, '../fixtures/programs')
/** Compilers and installers may have to download packages first. */
const slowMs = 900_000

let place: Place
afterEach(() => place.remove())

const up = ['up', '--yes', '--skip-preview', '-s', 'dev']
const listIds = (): readonly string[] =>
  place
    .listObjects()
    .map(({ id }) => id)
    .sort()

async function makeStack(): Promise<void> {
  requireSuccess(await place.run(['stack', 'init', 'dev']))
  requireSuccess(await place.run(['config', 'set', '--secret', 'password', secret, '-s', 'dev']))
  requireSuccess(await place.run(['config', 'set', 'step', '1', '-s', 'dev']))
}

/**
 * Runs a whole lifecycle: preview, create, no changes, update with replacement and delete, and
 * destroy.
 */
async function checkLifecycle(): Promise<void> {
  const previewed = requireSuccess(await place.run(['preview', '-s', 'dev']))
  expect(previewed.out).toContain('g-second')
  expect(place.listObjects()).toEqual([])
  requireSuccess(await place.run(up))
  expect(listIds()).toEqual(['extra-1', 'g-first-1', 'g-second-1'])
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(text).not.toContain(secret)
  expect(text).toContain('app:index:Group$gold:index:Thing::g-first')
  requireSuccess(await place.run([...up, '--expect-no-changes']))
  requireSuccess(await place.run(['config', 'set', 'step', '2', '-s', 'dev']))
  requireSuccess(await place.run(up))
  expect(listIds()).toEqual(['g-first-1', 'g-second-2'])
  const outputs = requireSuccess(
    await place.run(['stack', 'output', '--json', '--show-secrets', '-s', 'dev']),
  )
  expect(JSON.parse(outputs.out)).toMatchObject({ id: 'g-second-2', password: secret })
  requireSuccess(await place.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  expect(place.listObjects()).toEqual([])
}

whenInstalled('a program in Python', [['python3', '-m', 'venv', '--help']], () => {
  beforeEach(async () => {
    place = createPlace('python')
    const environment = virtualEnvironment(join(fixtures, 'python', 'requirements.txt'))
    symlinkSync(environment, join(place.program, 'venv'))
    await makeStack()
  }, slowMs)

  test(
    'has the same lifecycle as one in Node, with a component, secrets and a dynamic provider',
    checkLifecycle,
    slowMs,
  )

  test('that throws reports the place, and nothing is deleted', async () => {
    requireSuccess(await place.run(up))
    writeFileSync(join(place.program, 'words.py'), 'raise ValueError("no words")\n')
    const ran = await place.run(up)
    expect(ran.exit).not.toBe(0)
    expect(ran.out).toContain('ValueError: no words')
    expect(ran.out).not.toContain('run.py')
    expect(listIds()).toEqual(['extra-1', 'g-first-1', 'g-second-1'])
  })

  test('without its virtual environment is refused with the command that creates it', async () => {
    const file = join(place.program, 'Pulumi.yaml')
    writeFileSync(file, 'name: languages\nruntime: {name: python, options: {virtualenv: none}}\n')
    const ran = await place.run(up)
    expect(ran.err).toMatch(/PROGRAM_LANGUAGE_MISSING/)
    expect(ran.err).toContain('python3 -m venv')
  })
})

whenInstalled('a program in Go', [['go', 'version']], () => {
  beforeEach(async () => {
    place = createPlace('go')
    await makeStack()
  }, slowMs)

  test(
    'has the same lifecycle as one in Node, with a component and secrets',
    checkLifecycle,
    slowMs,
  )

  test(
    'that does not compile reports the place, and nothing runs',
    async () => {
      writeFileSync(join(place.program, 'main.go'), 'package main\n\nfunc main() { return 1 }\n')
      const ran = await place.run(up)
      expect(ran.err).toMatch(/PROGRAM_BUILD_FAILED/)
      expect(ran.err).toContain('main.go:3')
    },
    slowMs,
  )

  test('that was built before runs without another build', async () => {
    const file = join(place.program, 'Pulumi.yaml')
    writeFileSync(file, 'name: languages\nruntime: {name: go, options: {binary: ./program.sh}}\n')
    writeFileSync(join(place.program, 'program.sh'), '#!/bin/sh\necho I ran\n', { mode: 0o755 })
    const ran = requireSuccess(await place.run(up))
    expect(ran.out).toContain('I ran')
    writeFileSync(file, 'name: languages\nruntime: {name: go, options: {binary: ./nothing}}\n')
    expect((await place.run(up)).err).toMatch(/PROGRAM_LANGUAGE_MISSING/)
  })
})

test('a language that only has a language host completes a lifecycle', async () => {
  const write = (things: Readonly<Record<string, object>>): void =>
    writeFileSync(join(place.program, 'program.json'), JSON.stringify(things))
  place = createPlace(undefined, { files: { 'Pulumi.yaml': 'name: toys\nruntime: toy\n' } })
  write({ ball: { value: 1 }, doll: { value: 1 } })
  requireSuccess(await place.run(['stack', 'init', 'dev']))
  requireSuccess(await place.run(['config', 'set', 'step', 'one', '-s', 'dev']))
  expect(requireSuccess(await place.run(up)).out).toContain('toy makes 2 things')
  expect(listIds()).toEqual(['ball-1', 'doll-1'])
  const outputs = requireSuccess(await place.run(['stack', 'output', '--json', '-s', 'dev']))
  expect(JSON.parse(outputs.out)).toEqual({ step: 'one', ball: 'ball-1', doll: 'doll-1' })
  requireSuccess(await place.run([...up, '--expect-no-changes']))
  write({ ball: { value: 2 } })
  requireSuccess(await place.run(up))
  expect(listIds()).toEqual(['ball-1'])
  writeFileSync(join(place.program, 'program.json'), '{')
  const broken = await place.run(up)
  expect(broken.exit).not.toBe(0)
  expect(broken.out + broken.err).toContain('SyntaxError')
  expect(listIds()).toEqual(['ball-1'])
  requireSuccess(await place.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  expect(place.listObjects()).toEqual([])
  expect(place.listProcesses()).toEqual([])
})

test('a language without a host is refused with the name of the missing executable', async () => {
  place = createPlace(undefined, {
    files: { 'Pulumi.yaml': 'name: languages\nruntime: klingon\n' },
  })
  requireSuccess(await place.run(['stack', 'init', 'dev']))
  const ran = await place.run(up)
  expect(ran.err).toMatch(/RUNTIME_UNKNOWN/)
  expect(ran.err).toContain('pulumi-language-klingon')
  expect(existsSync(place.cloud)).toBe(true)
})
