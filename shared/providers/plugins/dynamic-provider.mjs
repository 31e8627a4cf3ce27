// Runs the dynamic provider of the SDK that the program in the current folder uses: it must be
// that one, because it unpacks functions that this SDK has packed. Any Node that it takes will do.
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
