/**
 * Prepares a clone and then runs one command of `bootstrap/commands.mjs`. This file is plain
 * JavaScript without dependencies, and runs on Node 20 or later. The command itself runs on the
 * Node that the bootstrap installs. This file uses only syntax that older versions of Node can
 * parse, so that they print the message below.
 */
const requiredMajor = 20
const args = process.argv.slice(2)

if (Number(process.versions.node.split('.')[0]) < requiredMajor) {
  console.error('error: Node ' + process.versions.node + ' is too old')
  console.error(
    '  hint: install Node ' + requiredMajor + ' or later; antichain installs its own Node 24',
  )
  process.exitCode = 1
} else {
  import('./bootstrap/commands.mjs')
    .then(function (commands) {
      return commands.run(args[0], args.slice(1))
    })
    .then(
      function (status) {
        process.exitCode = status
      },
      function (thrown) {
        if (thrown.hint === undefined) throw thrown
        console.error('error: ' + thrown.message)
        console.error('  hint: ' + thrown.hint)
        process.exitCode = 1
      },
    )
}
