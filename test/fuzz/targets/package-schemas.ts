import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadPackageSchema } from '../../../cli/packages/load-package-schema.ts'
import { writeSdk } from '../../../cli/packages/write-sdk.ts'
import { generateNodeSdk } from '../../../cli/sdk/node/generate-node-sdk.ts'
import { generatePythonSdk } from '../../../cli/sdk/python/generate-python-sdk.ts'
import { generateYamlSdk } from '../../../cli/sdk/yaml/generate-yaml-sdk.ts'
import type { CliSession } from '../../../cli/session/session.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const scratch = mkdtempSync(join(tmpdir(), 'antichain-fuzz-'))
/** The generators use no other part of a session for a schema in a file. */
const session = { cwd: scratch } as CliSession
const folder = join(scratch, 'sdks')
const generators = [generateNodeSdk, generatePythonSdk, generateYamlSdk]

/** Schemas of packages, and the SDKs that are generated from them. */
export const packageSchemasTarget: FuzzTarget = {
  async decode(input) {
    writeFileSync(join(scratch, 'schema.json'), input)
    const { schema } = await loadPackageSchema(session, { plugin: 'schema.json', args: [] })
    try {
      for (const [index, generate] of generators.entries())
        writeSdk(join(folder, String(index)), generate(schema))
    } finally {
      const surplus = readdirSync(scratch).filter(name => name !== 'schema.json')
      for (const name of surplus) rmSync(join(scratch, name), { recursive: true })
      requireLaw(
        surplus.every(name => name === 'sdks'),
        'no SDK has a file outside of its folder',
      )
    }
  },
  close: async () => rmSync(scratch, { recursive: true }),
}
