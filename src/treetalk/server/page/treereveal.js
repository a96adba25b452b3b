// @ts-check
/**
 * Bringing something of the hierarchy into view: an item or a group that was sought, or the items of the question.
 */

/** @typedef {import("./treedata.js").TreeNode} TreeNode */

/** Opens the way to a node, scrolls there and lets it light up. */
export class TreeReveal {
  /** @param {import("./hierarchy.js").HierarchyPanel} panel */
  constructor(panel) {
    this.panel = panel;
  }

  /** Show an item. @param {number} number */
  async item(number) {
    const item = await this.panel.tried(this.panel.app.api.item(number));
    if (!item) return;
    const path = item.path.map((/** @type {{branch: string}} */ step) => step.branch);
    this.#open(path, (node) => node.item?.number === number);
  }

  /** Show a branch. @param {string} branch */
  async branch(branch) {
    const view = { focus: branch, detail: 2, open: [], shut: [], offset: 0, limit: 1, mark: [], since: null };
    const response = await this.panel.tried(this.panel.app.api.tree(view));
    if (!response) return;
    const path = response.trail.map((/** @type {{branch: string}} */ step) => step.branch);
    this.#open(path, (node) => node.branch === response.focus);
  }

  /** Show the first row with an item of the question; if none is known, open the way to one. */
  marks() {
    const { data } = this.panel;
    const marked = [...data.nodes.values()].filter((node) => node.marked > 0 && node.state !== "open");
    const [first] = marked.sort((a, b) => a.first - b.first);
    if (first) this.#light(first);
    else if (data.marks.length > 0) this.item(data.marks[0]);
  }

  /** Whether there are items of the question, but none of them in the visible rows. @param {TreeNode[]} visible */
  isMarkAway(visible) {
    const { data } = this.panel;
    if (data.marks.length === 0 || data.revision === null) return false;
    return !visible.some((node) => node.marked > 0 && node.state !== "open");
  }

  /**
   * Open the way to a node; zoom out if it is not in what is zoomed into.
   *
   * @param {string[]} path the keys of the branches around it, the root first
   * @param {(node: TreeNode) => boolean} isSought
   */
  #open(path, isSought) {
    const { data } = this.panel;
    if (data.focus !== null && !path.includes(data.focus)) data.focus = null;
    for (const branch of path) if (data.nodes.get(branch)?.state !== "open") data.openBranch(branch);
    this.panel.reload();
    this.panel.afterwards(async () => {
      const node = await data.locate(path, isSought);
      if (node) this.#light(node);
    });
  }

  /** @param {TreeNode} node */
  #light(node) {
    this.panel.scrollTo(node, { isCentred: true });
    this.panel.light([node.branch], "tree-found");
    this.panel.focus.focus(node);
    this.panel.app.announce(`${node.label} is shown in the hierarchy.`);
  }
}
