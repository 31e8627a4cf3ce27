import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fillTemplate } from './fill-template.ts'
import { findTemplate } from './find-template.ts'
import type { ProjectTemplate } from './project-template.ts'
import { writeOutputFile } from '../project/output-file.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'template-'))
  writeTemplateFile('Pulumi.yaml', 'name: x\n')
})
afterEach(() => rmSync(root, { recursive: true }))

function writeTemplateFile(path: string, content: string | Uint8Array, mode = 0o644): void {
  const file = join(root, 'template', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode })
}

const find = (): ProjectTemplate =>
  findTemplate('template', root, { builtIn: [], projectFile: 'Pulumi.yaml' })

test('a project has the bytes of a binary file of its template, and can execute its scripts', () => {
  const picture = Uint8Array.of(0x89, 0x50, 0xff, 0x00, 0xc3)
  writeTemplateFile('picture.png', picture)
  writeTemplateFile('build.sh', '#!/bin/sh\necho ${PROJECT}\n', 0o755)
  const { files } = fillTemplate(find(), { name: 'shop', description: '' })
  const folder = join(root, 'project')
  for (const [path, file] of files) writeOutputFile(folder, path, file)
  expect(Uint8Array.from(readFileSync(join(folder, 'picture.png')))).toEqual(picture)
  expect(readFileSync(join(folder, 'build.sh'), 'utf8')).toBe('#!/bin/sh\necho shop\n')
  expect(statSync(join(folder, 'build.sh')).mode & 0o111).not.toBe(0)
  expect(statSync(join(folder, 'Pulumi.yaml')).mode & 0o111).toBe(0)
})

test('a template has neither stack files nor installed packages', () => {
  const names = ['Pulumi.dev.yaml', 'Pulumi.my.dev.yaml', 'Pulumi.dev.yml', 'Pulumi.dev.json']
  for (const name of [...names, 'node_modules/a/index.js', '.git/config'])
    writeTemplateFile(name, '')
  writeTemplateFile('index.js', '')
  expect([...find().files.keys()].toSorted()).toEqual(['Pulumi.yaml', 'index.js'])
})
