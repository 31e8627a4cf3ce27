'use strict'

/*
 * A memory of type checks, for the SDK's copy of ts-node. A record keeps the compiled output of the
 * modules of a program, and a trace. The trace has each question that the compiler asked the file
 * system, with the response. The output is used again only if each response is still the same. So a
 * changed type in any file causes a check, and an unchanged program causes none.
 *
 * The check of a module also depends on the modules that were compiled before it, because these
 * are in the same compiler program. So the key of an output is a chain of these modules.
 */

const { createHash } = require('node:crypto')
const { mkdirSync, readdirSync, readFileSync, renameSync } = require('node:fs')
const { statSync, unlinkSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

/** A change of the record's format raises this number. */
const formatVersion = 1

/**
 * Outputs of a record. A record has more than the outputs of one run if modules are loaded in
 * different orders. Beyond this number, it has only those of the last run.
 */
const outputsMax = 2_000

/** Records of a folder, one for each program folder and each `tsconfig.json`. */
const recordsMax = 200

/**
 * The stamp of a file that is younger is not trusted, because a later change can have the same
 * stamp. The text of such a file is compared.
 */
const youngestStampMs = 2_000

/** The lock files of package managers. A changed one causes a check. */
const lockFiles = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
]

/**
 * Creates the memory of one call of ts-node's `register`.
 *
 * @param input.folder The folder of the records.
 * @param input.cwd The folder of the program.
 * @param input.project The path of `tsconfig.json`, relative to `cwd`.
 * @param input.digest A digest of the compiler's version, its options, and the options of ts-node.
 * @param input.compilerFile The file of the compiler.
 * @param input.readFile The function with which the compiler reads a file.
 * @param input.memoryCache ts-node's texts, versions and outputs by path.
 */
function createCheckMemory(input) {
  const { cwd, compilerFile, readFile, memoryCache } = input
  const file = join(input.folder, `${digestOf(`${cwd}\0${input.project}`)}.json`)
  const digest = digestOf(`${formatVersion}\0${input.digest}\0${compilerFile}`)
  const record = readRecord(file, digest, readFile)
  const trace = createTrace(record?.trace, readFile)
  const earlierOutputs = new Map(Object.entries(record?.outputs ?? {}))
  const outputs = new Map()
  const replayed = []
  let chain = ''
  let isWriteScheduled = false

  /** Writes the record after the modules of the program are loaded, once for all of them. */
  function scheduleWrite() {
    if (isWriteScheduled) return
    isWriteScheduled = true
    setImmediate(() => {
      isWriteScheduled = false
      const all = new Map([...earlierOutputs, ...outputs])
      const kept = all.size > outputsMax ? outputs : all
      const responses = trace.list()
      if (responses === undefined) removeFile(file)
      else writeRecord(file, { digest, trace: responses, outputs: Object.fromEntries(kept) })
    })
  }

  /** Gives the compiler the modules that came from the record, as if it had compiled them. */
  function replayModules() {
    for (const [path, code] of replayed.splice(0)) {
      memoryCache.contents[path] = code
      memoryCache.versions[path] = (memoryCache.versions[path] ?? 0) + 1
    }
  }

  if (record?.isRefreshed === true) scheduleWrite()
  return {
    traceHost: host => trace.wrapHost(host, memoryCache),
    /** Returns a function that compiles a module only if the record does not contain it. */
    wrapCompile: compile => (code, path, lineOffset) => {
      chain = digestOf(`${chain}\0${path}\0${digestOf(code)}`)
      const earlier = earlierOutputs.get(chain)
      if (earlier !== undefined) {
        replayed.push([path, code])
        outputs.set(chain, earlier)
        memoryCache.outputs[path] = earlier
        return earlier
      }
      if (trace.isEmpty()) trace.noteFiles([compilerFile, ...listLockFiles(cwd)])
      replayModules()
      trace.noteText(path, code)
      const output = compile(code, path, lineOffset)
      outputs.set(chain, output)
      scheduleWrite()
      return output
    },
  }
}

/**
 * Creates a trace, which continues one of an earlier run. It records each question and its first
 * response. Two different responses to one question make the trace invalid.
 *
 * A key is the kind of question and a path. The kinds and their responses are:
 *
 * - `f`: whether the path is a file, `f` or `-`
 * - `d`: whether the path is a folder, `d` or `-`
 * - `l`: the names of the folders in a folder
 * - `t`: the digest of a text, or `-` for none, and mostly a stamp of the file
 */
function createTrace(earlier, readFile) {
  const responses = new Map(earlier)
  let isValid = true

  function note(key, response, stamp) {
    const known = responses.get(key)
    if (known === undefined) responses.set(key, [response, ...(stamp === undefined ? [] : [stamp])])
    else if (known[0] !== response) isValid = false
  }
  /** Records the text that `read` returns. The stamp is older than the text. */
  function noteRead(path, read) {
    const stamp = responses.has(`t${path}`) ? undefined : readStamp(path)
    const text = read()
    note(`t${path}`, digestOfText(text), stamp)
    return text
  }
  /** Returns whether no other response includes this one. A file with a text exists. */
  function isNeeded([key, [response]]) {
    return response !== 'f' || (responses.get(`t${key.slice(1)}`)?.[0] ?? '-') === '-'
  }
  return {
    isEmpty: () => responses.size === 0,
    list: () => (isValid ? [...responses].filter(isNeeded) : undefined),
    noteText: (path, text) => note(`t${path}`, digestOfText(text)),
    noteFiles: paths => {
      for (const path of paths) noteRead(path, () => readFile(path))
    },
    /** Returns a host of the compiler that records its responses. */
    wrapHost: (host, { contents }) => ({
      ...host,
      readFile: (path, encoding) => noteRead(path, () => host.readFile(path, encoding)),
      getScriptSnapshot: path => {
        if (Object.hasOwn(contents, path)) return host.getScriptSnapshot(path)
        let snapshot
        noteRead(path, () => {
          snapshot = host.getScriptSnapshot(path)
          return contents[path]
        })
        return snapshot
      },
      fileExists: path => {
        const exists = host.fileExists(path)
        note(`f${path}`, exists ? 'f' : '-')
        return exists
      },
      directoryExists: path => {
        const exists = host.directoryExists(path)
        note(`d${path}`, exists ? 'd' : '-')
        return exists
      },
      getDirectories: path => {
        const names = host.getDirectories(path)
        note(`l${path}`, names.map(String).sort().join('/'))
        return names
      },
      readDirectory: (...args) => {
        isValid = false
        return host.readDirectory(...args)
      },
    }),
  }
}

/**
 * Returns a record whose responses are still the same. Returns undefined for a missing record, one
 * of other options, and one with a changed response. `isRefreshed`: whether stamps have changed.
 */
function readRecord(file, digest, readFile) {
  try {
    if (!isOwnFolder(dirname(file))) return undefined
    const record = JSON.parse(readFileSync(file, 'utf8'))
    if (record.digest !== digest) return undefined
    let isRefreshed = false
    for (const [key, response] of record.trace) {
      const path = key.slice(1)
      if (key[0] !== 't') {
        if (respond(key[0], path) !== response[0]) return undefined
        continue
      }
      const stamp = readStamp(path)
      if (stamp !== undefined && stamp === response[1]) continue
      if (digestOfText(readFile(path)) !== response[0]) return undefined
      if (stamp === undefined) continue
      response[1] = stamp
      isRefreshed = true
    }
    return { ...record, isRefreshed }
  } catch {
    return undefined
  }
}

/** Returns the present response to a question about a file or a folder. */
function respond(kind, path) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (kind === 'f') return stats?.isFile() === true ? 'f' : '-'
  if (kind === 'd') return stats?.isDirectory() === true ? 'd' : '-'
  const isFolder = name => statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory()
  return stats === undefined ? '' : readdirSync(path).filter(isFolder).sort().join('/')
}

/** Returns the identity, size and times of a file. Returns undefined for a young file, or none. */
function readStamp(path) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || Date.now() - stats.ctimeMs < youngestStampMs) return undefined
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`
}

/** Returns the possible lock files of a program: in its folder, and in those above. */
function listLockFiles(cwd) {
  const parent = dirname(cwd)
  const files = lockFiles.map(name => join(cwd, name))
  return parent === cwd ? files : [...files, ...listLockFiles(parent)]
}

/** Writes a record atomically. A record that cannot be written is checked at the next run. */
function writeRecord(file, record) {
  const folder = dirname(file)
  const temporaryFile = `${file}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOwnFolder(folder)) return
    writeFileSync(temporaryFile, JSON.stringify(record), { mode: 0o600 })
    renameSync(temporaryFile, file)
    removeOldRecords(folder)
  } catch {
    removeFile(temporaryFile)
  }
}

/** Returns whether a folder belongs to this user. The records of another one are foreign code. */
function isOwnFolder(folder) {
  return process.getuid === undefined || statSync(folder).uid === process.getuid()
}

/** Removes the older half of too many records. */
function removeOldRecords(folder) {
  const files = readdirSync(folder).map(name => join(folder, name))
  if (files.length <= recordsMax) return
  const times = files.map(file => [file, statSync(file).mtimeMs]).sort((a, b) => a[1] - b[1])
  for (const [file] of times.slice(0, recordsMax / 2)) removeFile(file)
}

function removeFile(file) {
  try {
    unlinkSync(file)
  } catch {
    // The file is absent, or another process has removed it.
  }
}

/** Returns the digest of a text, or `-` for a missing file. */
function digestOfText(text) {
  return text === undefined ? '-' : digestOf(text)
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('base64url')
}

module.exports = { createCheckMemory }
