'use strict'

/**
 * The largest number of remembered frames. A program has some hundred frames. A frame needs about
 * 500 bytes, so the memory stays below 5 MB.
 */
const maxFrames = 10_000

/** The largest column of a remembered frame. `positionKeyOf` is unique up to this column. */
const maxColumn = 2 ** 26

/**
 * Returns a function that replaces `wrapCallSite` of source-map-support, and returns remembered
 * texts. `wrapCallSite` maps one frame of a stack trace, and its result is only converted to a
 * text. The text depends on these values, and all of them are compared:
 *
 * - the position, the names of function, type and method, and the kind of call,
 * - the mapped name of the calling frame, which `state` contains,
 * - the source map of the file. source-map-support keeps one object per file.
 *
 * Frames of eval, native code and other contexts are not remembered. Source: source-map-support
 * 0.5.21, wrapCallSite and CallSiteToString.
 *
 * @param wrapCallSite The function of source-map-support.
 * @param sourceMapOf Returns the present entry of source-map-support's cache for a file.
 * @param callSitePrototype The prototype of V8's frames.
 */
function createFrameMemory(wrapCallSite, sourceMapOf, callSitePrototype) {
  const { getPrototypeOf } = Object
  const framesOfFiles = new Map()
  let frameCount = 0

  function remember(file, positionKey, frame) {
    if (frameCount >= maxFrames) {
      framesOfFiles.clear()
      frameCount = 0
    }
    let framesByPosition = framesOfFiles.get(file)
    if (framesByPosition === undefined) framesOfFiles.set(file, (framesByPosition = new Map()))
    const frames = framesByPosition.get(positionKey)
    if (frames === undefined) framesByPosition.set(positionKey, [frame])
    else frames.push(frame)
    frameCount += 1
  }

  return function recallCallSite(callSite, state) {
    if (
      state === undefined ||
      getPrototypeOf(callSite) !== callSitePrototype ||
      callSite.isNative()
    )
      return wrapCallSite(callSite, state)
    const file = callSite.getFileName() || callSite.getScriptNameOrSourceURL()
    if (!file) return wrapCallSite(callSite, state)
    const positionKey = positionKeyOf(callSite.getLineNumber(), callSite.getColumnNumber())
    const rememberedFrames = framesOfFiles.get(file)?.get(positionKey)
    const traits = readTraits(callSite, state)
    const sourceMap = sourceMapOf(file)
    const sameFrame = rememberedFrames?.find(frame => hasTraits(frame, traits))
    if (sameFrame !== undefined && sameFrame.sourceMap === sourceMap) {
      state.curPosition = sameFrame.position
      return sameFrame.text
    }
    const text = `${wrapCallSite(callSite, state)}`
    const outcome = { text, position: state.curPosition, sourceMap: sourceMapOf(file) }
    if (positionKey === undefined || !isConstant(file, outcome)) return text
    if (sameFrame !== undefined) Object.assign(sameFrame, outcome)
    else remember(file, positionKey, { ...traits, ...outcome })
    return text
  }
}

/** Returns one number for line and column, or undefined if the frame has no usable position. */
function positionKeyOf(line, column) {
  return line > 0 && column > 0 && column < maxColumn ? line * maxColumn + column : undefined
}

/** Returns the values that determine the text of a frame, besides its position and source map. */
function readTraits(callSite, { nextPosition }) {
  const isConstructor = callSite.isConstructor()
  const isMethod = !isConstructor && !callSite.isToplevel()
  return {
    functionName: callSite.getFunctionName(),
    isConstructor,
    typeName: isMethod ? callSite.getTypeName() : undefined,
    methodName: isMethod ? callSite.getMethodName() : undefined,
    callerName: nextPosition?.name || '',
  }
}

function hasTraits(frame, traits) {
  return (
    frame.functionName === traits.functionName &&
    frame.isConstructor === traits.isConstructor &&
    frame.typeName === traits.typeName &&
    frame.methodName === traits.methodName &&
    frame.callerName === traits.callerName
  )
}

/**
 * Reports whether the text stays the same. With a source map, the text of a relative path depends
 * on the working directory.
 */
function isConstant(file, { sourceMap, position }) {
  if (sourceMap === undefined || !position?.source) return false
  const { map, url } = sourceMap
  return !map || (isAbsolute(file) && (!url || isAbsolute(url)))
}

function isAbsolute(file) {
  return file.startsWith('/') || file.startsWith('file:///')
}

module.exports = { createFrameMemory }
