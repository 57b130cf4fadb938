// A binary heap. Each item stores its index, so that it can be moved or removed without a search.

export interface HeapItem {
  /** Set by the heap; -1 if the item is not in it. */
  heapIndex: number
}

export class Heap<T extends HeapItem> {
  readonly #items: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    this.#items.push(item)
    this.#rise(item, this.#items.length - 1)
  }

  pop(): T | undefined {
    const first = this.#items[0]
    if (first) this.remove(first)
    return first
  }

  /** Restores the order after the key of an item has changed. */
  update(item: T): void {
    this.#sink(item, item.heapIndex)
    this.#rise(item, item.heapIndex)
  }

  remove(item: T): void {
    const last = this.#items.pop()!
    const hole = item.heapIndex
    item.heapIndex = -1
    if (last === item) return
    last.heapIndex = hole
    this.#items[hole] = last
    this.update(last)
  }

  #rise(item: T, from: number): void {
    let index = from
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = this.#items[parentIndex]!
      if (!this.#isBefore(item, parent)) break
      this.#place(parent, index)
      index = parentIndex
    }
    this.#place(item, index)
  }

  #sink(item: T, from: number): void {
    let index = from
    for (;;) {
      const childIndex = this.#earlierChild(index)
      const child = this.#items[childIndex]
      if (!child || !this.#isBefore(child, item)) break
      this.#place(child, index)
      index = childIndex
    }
    this.#place(item, index)
  }

  #earlierChild(index: number): number {
    const left = 2 * index + 1
    const leftItem = this.#items[left]
    const rightItem = this.#items[left + 1]
    return leftItem && rightItem && this.#isBefore(rightItem, leftItem) ? left + 1 : left
  }

  #place(item: T, index: number): void {
    this.#items[index] = item
    item.heapIndex = index
  }
}
