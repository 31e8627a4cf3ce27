'use strict'
const { Config, dynamic } = require('@pulumi/pulumi')

/** Writes, reads and removes the file at a path that all functions reach. */
const provider = {
  async create({ path, text }) {
    await require('node:fs/promises').writeFile(path, text)
    return { id: path, outs: { path, text } }
  },
  async diff(_id, olds, news) {
    const replaces = olds.path === news.path ? [] : ['path']
    return { changes: replaces.length > 0 || olds.text !== news.text, replaces }
  },
  async read(id, props) {
    const text = await require('node:fs/promises').readFile(id, 'utf8')
    return { id, props: { ...props, text } }
  },
  async update(id, _olds, { path, text }) {
    await require('node:fs/promises').writeFile(id, text)
    return { outs: { path, text } }
  },
  async delete(id) {
    await require('node:fs/promises').rm(id, { force: true })
  },
}

class Notice extends dynamic.Resource {
  constructor(name, args) {
    super(provider, name, args, undefined, 'notice', 'Notice')
  }
}

const path = new Config().require('path')
exports.path = new Notice('board', { path, text: 'The ferry leaves at eight.\n' }).path
