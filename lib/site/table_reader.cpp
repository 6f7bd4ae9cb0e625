// SPDX-License-Identifier: Apache-2.0
#include "site/table_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace railgauge::site {
namespace {

constexpr std::string_view documentation = "docs/site-file.md";

std::string_view type_name(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table: return "a table";
        case toml::node_type::array: return "a list";
        case toml::node_type::string: return "a text";
        case toml::node_type::integer: return "a whole number";
        case toml::node_type::floating_point: return "a number with a fraction";
        case toml::node_type::boolean: return "true or false";
        default: return "a date or time";
    }
}

std::uint32_t line_of(const toml::source_region& source, std::uint32_t otherwise) {
    return source.begin.line > 0 ? source.begin.line : otherwise;
}

Place element_place(const Place& list, std::size_t index, const toml::node& element) {
    return {line_of(element.source(), list.line), fmt::format("{}[{}]", list.key, index)};
}

}  // namespace

struct TableReader::Expected {
    std::string_view what;
    std::string_view remedy;
};

const TableReader::Expected TableReader::a_text{"a text", "write it in quotes"};
const TableReader::Expected TableReader::a_whole_number{
    "a whole number of 32 bits", "write it without quotes and without a fraction"};
const TableReader::Expected TableReader::a_number{"a number", "write it without quotes"};
const TableReader::Expected TableReader::a_table{"a table", "write it as {key = value, ...}"};
const TableReader::Expected TableReader::a_list{"a list", "write it in [ ]"};
const TableReader::Expected TableReader::a_list_of_tables{
    "a list of tables", "begin each with its key in [[ ]], or write [{key = value, ...}, ...]"};

TableReader::TableReader(const toml::table& table, Place place, std::string_view kind,
                         Mistakes& mistakes)
    : table_(&table), place_(std::move(place)), kind_(kind), mistakes_(&mistakes) {}

Place TableReader::place(std::string_view key) const {
    const toml::node* node = table_->get(key);
    const std::string path =
        place_.key.empty() ? std::string(key) : fmt::format("{}.{}", place_.key, key);
    return {node == nullptr ? place_.line : line_of(node->source(), place_.line), path};
}

std::string TableReader::text(std::string_view key, Need need, const Rule& rule) {
    const toml::node* node = find(key, need);
    if (node == nullptr) return "";
    const auto value = node->value_exact<std::string>();
    if (!value) {
        report_type(place(key), *node, a_text);
        return "";
    }
    const std::string why = rule.why_not(*value);
    if (why.empty()) return *value;
    mistakes_->add(place(key), fmt::format("{} cannot be {}", quoted(*value), rule.what), why,
                   "correct it");
    return "";
}

std::optional<int> TableReader::integer(std::string_view key, Need need, int least, int most) {
    const toml::node* node = find(key, need);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value_exact<std::int64_t>();
    if (!value) {
        report_type(place(key), *node, a_whole_number);
        return std::nullopt;
    }
    if (*value >= least && *value <= most) return static_cast<int>(*value);
    mistakes_->add(place(key), fmt::format("{} is out of range", *value),
                   fmt::format("it must be {} to {}", least, most), "correct it");
    return std::nullopt;
}

std::optional<double> TableReader::number(std::string_view key, Need need, double above,
                                          double most, std::string_view unit) {
    const toml::node* node = find(key, need);
    if (node == nullptr) return std::nullopt;
    if (!node->is_number()) {
        report_type(place(key), *node, a_number);
        return std::nullopt;
    }
    const auto integer = node->value_exact<std::int64_t>();
    const double value =
        integer ? static_cast<double>(*integer) : node->value_exact<double>().value_or(0);
    if (value > above && value <= most) return value;  // false for NaN, too
    mistakes_->add(place(key), fmt::format("{:g} is out of range", value),
                   fmt::format("it must be above {:g} and at most {:g} {}", above, most, unit),
                   fmt::format("give it in {}", unit));
    return std::nullopt;
}

template <class T, class Convert>
std::vector<Located<T>> TableReader::elements(std::string_view key, Need need,
                                              const Expected& expected, Convert convert) {
    std::vector<Located<T>> values;
    const toml::array* nodes = list(key, need, a_list);
    if (nodes == nullptr) return values;
    const Place where = place(key);
    for (std::size_t i = 0; i < nodes->size(); ++i) {
        const toml::node& node = *nodes->get(i);
        const Place here = element_place(where, i, node);
        if (std::optional<T> value = convert(node)) {
            values.push_back({*std::move(value), here});
        } else {
            report_type(here, node, expected);
        }
    }
    return values;
}

std::vector<Located<std::string>> TableReader::texts(std::string_view key, Need need) {
    return elements<std::string>(
        key, need, a_text, [](const toml::node& node) { return node.value_exact<std::string>(); });
}

std::vector<Located<int>> TableReader::integers(std::string_view key, Need need) {
    return elements<int>(key, need, a_whole_number, [](const toml::node& node) {
        const auto value = node.value_exact<std::int64_t>();
        const bool fits = value && std::in_range<int>(*value);
        return fits ? std::optional(static_cast<int>(*value)) : std::nullopt;
    });
}

std::vector<TableReader> TableReader::tables(std::string_view key, Need need, std::string_view kind,
                                             std::size_t most) {
    const toml::array* elements = list(key, need, a_list_of_tables);
    std::vector<TableReader> readers;
    if (elements == nullptr) return readers;
    const Place where = place(key);
    if (elements->size() > most) {
        mistakes_->add(where, fmt::format("the list has {} entries", elements->size()),
                       fmt::format("at most {} are possible", most), "shorten it");
        return readers;
    }
    for (std::size_t i = 0; i < elements->size(); ++i) {
        const toml::node& element = *elements->get(i);
        const Place here = element_place(where, i, element);
        if (const toml::table* table = element.as_table()) {
            readers.emplace_back(*table, here, kind, *mistakes_);
        } else {
            report_type(here, element, a_table);
        }
    }
    return readers;
}

void TableReader::finish() {
    for (const auto& [key, node] : *table_) {
        const std::string name(key.str());
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        const std::string meant = nearest(name, known_);
        mistakes_->add({line_of(key.source(), place_.line), place_.key},
                       fmt::format("unknown key {}", quoted(name)),
                       fmt::format("{} has {}", kind_, listed(known_)),
                       meant.empty() ? fmt::format("remove it or see {}", documentation)
                                     : fmt::format("did you mean {}?", quoted(meant)));
    }
}

const toml::node* TableReader::find(std::string_view key, Need need) {
    known_.emplace_back(key);
    const toml::node* node = table_->get(key);
    if (node == nullptr && need == Need::required) {
        mistakes_->add(place(key), "it is missing", fmt::format("{} must have it", kind_),
                       fmt::format("add it, see {}", documentation));
    }
    return node;
}

const toml::array* TableReader::list(std::string_view key, Need need, const Expected& expected) {
    const toml::node* node = find(key, need);
    if (node == nullptr) return nullptr;
    const toml::array* elements = node->as_array();
    if (elements == nullptr) {
        report_type(place(key), *node, expected);
    } else if (elements->empty()) {
        mistakes_->add(place(key), "the list is empty", "it says nothing",
                       need == Need::required ? "fill it" : "fill it or remove it");
    }
    return elements;
}

void TableReader::report_type(const Place& where, const toml::node& node,
                              const Expected& expected) {
    mistakes_->add(where, fmt::format("it is {}", type_name(node)),
                   fmt::format("it must be {}", expected.what), std::string(expected.remedy));
}

}  // namespace railgauge::site
