/**
 * Gets a clone ready and then does what was asked: start, test, test:full, test:aws, nightly,
 * golden, emulators, cloud, check, gen, bench, sim, synth. Plain JavaScript without dependencies:
 * it runs on whatever Node the machine has, from 20 on, and what comes after it runs on the Node
 * that it installs. This file keeps to syntax that old versions can read, so that they get to the
 * sentence below.
 */
const needed = 20
const args = process.argv.slice(2)

if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error('error: Node ' + process.versions.node + ' is too old')
  console.error(
    '  what to do: install Node ' + needed + ' or later; antichain brings its own Node 24',
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
        console.error('  what to do: ' + thrown.hint)
        process.exitCode = 1
      },
    )
}
