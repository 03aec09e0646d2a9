// What pages do besides being read: light and dark, contents on small screens, copying, search,
// formulas. Everything is local; nothing is asked of any host. Pages are complete without it.
(function () {
  "use strict";

  // --- light and dark: the system's choice until the reader makes one ---

  var themes = ["light-mode", "dark-mode"];
  // Where the editions keep what they share, and where this edition's own pages are.
  var shared = document.currentScript.getAttribute("data-shared");
  var home = document.currentScript.getAttribute("data-home");

  // What the page says for us to say, in its language.
  function words(name) {
    return document.querySelector(".kl-bar").getAttribute("data-" + name);
  }

  function remembered() {
    try {
      return localStorage.getItem("kl-theme");
    } catch (error) {
      return null; // some browsers keep nothing for files
    }
  }

  function show(theme) {
    document.documentElement.classList.remove("light-mode", "dark-mode");
    if (themes.indexOf(theme) >= 0) document.documentElement.classList.add(theme);
  }

  function isDark() {
    var chosen = document.documentElement.classList;
    if (chosen.contains("dark-mode")) return true;
    if (chosen.contains("light-mode")) return false;
    return matchMedia("(prefers-color-scheme: dark)").matches;
  }

  show(remembered()); // before the page is painted

  function themeButton() {
    document.getElementById("kl-theme").addEventListener("click", function () {
      var theme = isDark() ? "light-mode" : "dark-mode";
      show(theme);
      try {
        localStorage.setItem("kl-theme", theme);
      } catch (error) {
        return; // then it holds for this page only
      }
    });
  }

  // --- contents ---

  function contents() {
    var button = document.getElementById("kl-menu");
    var list = document.getElementById("kl-contents");
    function show(open) {
      list.classList.toggle("kl-open", open);
      button.setAttribute("aria-expanded", String(open));
    }
    button.addEventListener("click", function () {
      show(!list.classList.contains("kl-open"));
    });
    document.addEventListener("keydown", function (event) {
      if (event.key !== "Escape" || !list.classList.contains("kl-open")) return;
      show(false);
      button.focus();
    });
    var here = location.pathname.split("/").pop() || "index.html";
    list.querySelectorAll("a").forEach(function (link) {
      if (link.getAttribute("href") !== here) return;
      link.setAttribute("aria-current", "page");
      var chapter = link.closest("details");
      if (chapter) chapter.open = true;
    });
  }

  // --- copying ---

  function copyButtons() {
    document.querySelectorAll(".kl-copyable").forEach(function (box) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "kl-copy";
      button.textContent = words("copy");
      button.addEventListener("click", function () {
        copy(box.querySelector("pre").textContent);
        button.textContent = words("copied");
        setTimeout(function () { button.textContent = words("copy"); }, 1500);
      });
      box.parentNode.insertBefore(button, box);
    });
  }

  function copy(text) {
    var area = document.createElement("textarea"); // works for files, where clipboards may not
    area.value = text;
    document.body.appendChild(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }

  // --- search ---

  function load(file, then) {
    var script = document.createElement("script");
    script.src = file;
    script.onload = then;
    document.head.appendChild(script);
  }

  function search() {
    var field = document.getElementById("kl-search");
    var found = document.getElementById("kl-found");
    var index = null, loading = false;

    function build() {
      index = new MiniSearch({
        fields: ["title", "features", "text"],
        storeFields: ["url", "title", "text"],
        // Names such as __shfl_down_sync and cp.async are found whole and by their parts; Chinese,
        // which has no blanks, by each two characters that stand together.
        tokenize: function (text) {
          var latin = text.replace(/\p{Script=Han}+/gu, " "), pairs = [];
          (text.match(/\p{Script=Han}+/gu) || []).forEach(function (run) {
            if (run.length === 1) pairs.push(run);
            for (var i = 0; i + 1 < run.length; ++i) pairs.push(run.slice(i, i + 2));
          });
          var whole = latin.split(/[^\p{L}\p{N}_.]+/u), parts = latin.split(/[^\p{L}\p{N}]+/u);
          return Array.from(new Set(whole.concat(parts, pairs))).filter(Boolean);
        },
        searchOptions: { prefix: true, fuzzy: 0.15, boost: { features: 6, title: 4 }, combineWith: "AND" }
      });
      index.addAll(ladderPages);
      find();
    }

    function prepare() {
      if (loading) return;
      loading = true;
      load(home + "search-data.js", function () {
        if (ladderPages) load(shared + "minisearch.js", build);
        else found.textContent = words("no-search");
      });
    }

    // The words round the first match.
    function excerpt(entry) {
      var low = entry.text.toLowerCase(), at = -1;
      entry.terms.forEach(function (term) {
        var place = low.indexOf(term.toLowerCase());
        if (place >= 0 && (at < 0 || place < at)) at = place;
      });
      if (at < 0) return "";
      var from = Math.max(0, at - 40);
      return (from > 0 ? "…" : "") + entry.text.slice(from, at + 80) + "…";
    }

    function find() {
      found.textContent = "";
      var wanted = field.value.trim();
      if (!index || !wanted) return;
      var hits = index.search(wanted).slice(0, 12);
      if (hits.length === 0) {
        found.textContent = words("nothing");
        return;
      }
      var list = document.createElement("ul");
      hits.forEach(function (hit) {
        var item = document.createElement("li"), link = document.createElement("a");
        link.href = home + hit.url;
        link.textContent = hit.title;
        item.appendChild(link);
        var context = document.createElement("span");
        context.textContent = excerpt(hit);
        item.appendChild(context);
        list.appendChild(item);
      });
      found.appendChild(list);
    }

    field.addEventListener("focus", prepare);
    field.addEventListener("input", function () { prepare(); find(); });
    field.addEventListener("keydown", function (event) {
      if (event.key === "Escape") { field.value = ""; find(); }
      var first = found.querySelector("a");
      if (event.key === "Enter" && first) first.click();
      if (event.key === "ArrowDown" && first) { event.preventDefault(); first.focus(); }
    });
    document.addEventListener("keydown", function (event) {
      var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
      if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
    });
  }

  // --- formulas ---

  function formulas() {
    var text = document.querySelector(".contents");
    if (!text || !/\\\(|\\\[/.test(text.textContent)) return;
    window.MathJax = {
      extensions: ["tex2jax.js"],
      jax: ["input/TeX", "output/SVG"],
      messageStyle: "none",
      showMathMenu: false,
      SVG: { font: "TeX", blacker: 1, linebreaks: { automatic: true } },
      tex2jax: { inlineMath: [["\\(", "\\)"]], displayMath: [["\\[", "\\]"]],
                 processClass: "contents", skipTags: ["script", "style", "pre", "code", "textarea"] }
    };
    load(shared + "mathjax/MathJax.js", function () {});
  }

  // --- printing shows what is folded ---

  function printing() {
    var opened = [];
    window.addEventListener("beforeprint", function () {
      document.querySelectorAll(".contents details:not(.kl-hint):not([open])").forEach(function (box) {
        box.open = true;
        opened.push(box);
      });
    });
    window.addEventListener("afterprint", function () {
      opened.splice(0).forEach(function (box) { box.open = false; });
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    themeButton();
    contents();
    copyButtons();
    search();
    formulas();
    printing();
  });
})();
