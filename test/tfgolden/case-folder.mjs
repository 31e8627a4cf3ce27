/** The folder of a case's run: program, cloud, faults and log. Both kinds of runs share it. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { omitNullMembers, parseGolden } from './lossless-values.mjs'
import { createCallLog } from './provider-calls.mjs'

export const readGolden = file => parseGolden(readFileSync(file, 'utf8'))

/** Writes a text, or a value as JSON. The folder is created. */
export function writeGolden(file, content) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}

/** Creates the folder of a run. `settings` are those of the command line. */
export function createCaseFolder(settings, name) {
  const source = join(settings.casesFolder, name)
  const home = join(settings.tempFolder, name)
  const objectsFolder = join(home, 'cloud', 'objects')
  const program = join(home, 'program')
  for (const folder of [objectsFolder, program, join(home, 'state')])
    mkdirSync(folder, { recursive: true })
  const fileOfObject = id => join(objectsFolder, `${id.replaceAll(/[^\w.-]/g, '_')}.json`)
  const faultsFile = join(home, 'faults.json')
  const logFile = join(home, 'log.jsonl')
  const providerFile = suffix => join(settings.providerFolder, `terraform-provider-tfgold${suffix}`)
  return {
    name,
    home,
    program,
    source,
    spec: readGolden(join(source, 'case.json')),
    log: createCallLog(logFile),
    /** Returns the environment of a step. The variables of the caller's engines are left out. */
    createVariables(step, number, ownVariables) {
      const inherited = Object.entries(process.env).filter(
        ([key]) => !/^(PULUMI|ANTICHAIN|TFGOLD|TF|TOFU)_/.test(key),
      )
      return {
        ...Object.fromEntries(inherited),
        NO_COLOR: '1',
        STEP: String(number),
        TFGOLD_CLOUD: join(home, 'cloud'),
        TFGOLD_LOG: logFile,
        TFGOLD_FAULTS: faultsFile,
        TFGOLD_PROVIDER: providerFile(''),
        TFGOLD_PROVIDER5: providerFile('5'),
        ...ownVariables,
        ...step.env,
      }
    },
    /** Applies the changes of the cloud that a step's `before` lists. */
    changeCloud(changes = []) {
      for (const change of changes)
        if ('fault' in change) writeGolden(faultsFile, change.fault ?? {})
        else if (change.remove) rmSync(fileOfObject(change.remove))
        else if (change.add) writeGolden(fileOfObject(change.add), createObject(change))
        else {
          const object = readGolden(fileOfObject(change.set))
          const attrs = { ...object.attrs, ...change.attrs }
          writeGolden(fileOfObject(change.set), { ...object, attrs })
        }
    },
    /** Returns the objects of the cloud by their ids. */
    readCloud() {
      const objects = {}
      for (const file of readdirSync(objectsFolder).sort()) {
        const { id, ...object } = readGolden(join(objectsFolder, file))
        objects[id] = { ...object, attrs: omitNullMembers(object.attrs) }
      }
      return objects
    },
    /** Returns the case's file for a step: the one with the highest number up to the step's. */
    findFile(number, stem, endings) {
      for (let step = number; step > 0; step -= 1)
        for (const ending of endings) {
          const file = join(source, `${stem}.${step}.${ending}`)
          if (existsSync(file)) return file
        }
      return undefined
    },
    remove() {
      if (!settings.keepsFolders) rmSync(home, { recursive: true, force: true })
    },
  }
}

function createObject({ add: id, type = 'tfgold_thing', name = id, attrs }) {
  return { type, id, name, rev: 1, attrs: { id, name, ...attrs } }
}

/** Prints the outputs of a step when GOLD_DEBUG is set. */
export function printStep(name, number, { code, out, err }) {
  if (process.env.GOLD_DEBUG) console.log(`--- ${name} step ${number} exit ${code}\n${out}\n${err}`)
}

/** Returns how a step ends its command early. */
export const endingOf = step => (step.kill ? 'kill' : step.interrupt ? 'interrupt' : undefined)

/** Parses the lines of an output that are JSON. */
export function parseLines(text) {
  return text.split('\n').flatMap(line => {
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })
}
