// Runs the dynamic provider of the SDK that the program in the current folder uses. The program
// serializes functions, and only the same SDK deserializes them. The file is plain JavaScript, so
// that any Node that the SDK supports can run it.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'index.js'))
let entry
try {
  entry = require.resolve('@pulumi/pulumi/cmd/dynamic-provider')
} catch {
  process.stderr.write(`no @pulumi/pulumi in ${process.cwd()}: run npm install there\n`)
  process.exit(1)
}
require(entry)
