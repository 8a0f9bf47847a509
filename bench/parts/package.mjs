/**
 * What is downloaded and what lies on the disk: the package, the package with what it depends on,
 * the image.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesIn } from '../files.mjs'
import { rowOf } from '../rows.mjs'

const KIBIBYTE = 1024
const MEBIBYTE = 2 ** 20

export const name = 'packaging'
export const ids = ['package', 'installed', 'image']

/** The package as npm would publish it. */
function packed(dir) {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: dir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26
  })
  return JSON.parse(text)[0]
}

/** Bytes of every package that is installed with this one, by the lockfile. */
function dependencies(dir) {
  const { packages } = JSON.parse(readFileSync(join(dir, 'package-lock.json'), 'utf8'))
  const folders = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  const present = folders.map(([path]) => join(dir, path)).filter(folder => existsSync(folder))
  return present.reduce((bytes, folder) => bytes + bytesIn(folder), 0)
}

/** Bytes of an image. */
const imageSize = ({ engine, name }) =>
  Number(
    execFileSync(engine, ['image', 'inspect', '--format', '{{.Size}}', name], { encoding: 'utf8' })
  )

export async function run({ emulators, wanted, progress, image }) {
  progress('sizes')
  const sizeRow = (id, work, unit, samples) =>
    rowOf({ id, work, unit, better: 'lower', baseline: null, samples })
  const byTarget = figure =>
    Object.fromEntries(emulators.map(({ name, dir }) => [name, [figure(dir)]]))
  const rows = []
  if (wanted('package'))
    rows.push(
      sizeRow(
        'package',
        'package as downloaded',
        'KiB',
        byTarget(dir => packed(dir).size / KIBIBYTE)
      )
    )
  if (wanted('installed')) {
    rows.push(
      sizeRow(
        'installed',
        'package and dependencies, installed',
        'MiB',
        byTarget(dir => (packed(dir).unpackedSize + dependencies(dir)) / MEBIBYTE)
      )
    )
  }
  if (image && wanted('image'))
    rows.push(sizeRow('image', 'image', 'MiB', { emulator: [imageSize(image) / MEBIBYTE] }))
  return rows
}
